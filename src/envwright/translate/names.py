"""Names of the packages that translations end in."""

from __future__ import annotations

import hashlib
import importlib.util
import keyword
import re
from importlib.machinery import ModuleSpec
from pathlib import Path

from envwright.core.outside_rooms import LONGEST_NAME
from envwright.core.registry import rooms
from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options, split_options
from envwright.schema.toml_records import IDENTIFIER
from envwright.translate.proposal.subject import id_of

LONGEST = 50  # letters of a name that can be read
OURS = ("_room.py", "_registration.py")  # modules of every package that envwright writes


def package_of(simulator: str) -> str:
    """Return the default name of a simulator's package.

    Other options are another environment, hence another package:
    `gymnasium:FrozenLake-v1?map_name=8x8` becomes `fast_frozenlake_map_name_8x8`.
    """
    name = f"fast_{id_of(simulator)}"
    scheme, _, rest = simulator.partition(":")
    if scheme == "command" or "?" not in rest:
        return name
    options = dict(sorted(split_options(rest)[1].items()))
    query = join_options("", options).removeprefix("?")
    readable = f"{name}_{re.sub(r'[&=]', '_', query)}"
    if re.fullmatch(IDENTIFIER, readable) and len(readable) <= LONGEST:
        return readable
    return f"{name}_{hashlib.sha256(query.encode()).hexdigest()[:8]}"


def check_free(name: str) -> None:
    """Raise if a package cannot have this name, or if another one that is importable has it."""
    fits = re.fullmatch(IDENTIFIER, name) and len(name) <= LONGEST_NAME
    if not fits or keyword.iskeyword(name):
        raise EnvwrightError(
            f"{one_line(repr(name), 80)} cannot be the name of a package; use at most "
            f"{LONGEST_NAME} letters, digits and _, such as --name fast_game"
        )
    found = importlib.util.find_spec(name)
    place = (found.origin or "no file") if found and found.loader else ""
    if found and place and not _is_ours(found):
        raise EnvwrightError(
            f"a package called {name} is installed already ({place}); choose another name with "
            "--name"
        )
    if any(name == room.id and room.namespace == "envwright" for room in rooms()):
        raise EnvwrightError(
            f"{name} is an environment of envwright's own; choose another name with --name"
        )


def _is_ours(found: ModuleSpec) -> bool:
    """Return whether a package is a translation, which a newer one may replace."""
    folders = [Path(place) for place in found.submodule_search_locations or ()]
    return any(all((folder / name).is_file() for name in OURS) for folder in folders)
