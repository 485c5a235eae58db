"""The folder of a translation: one for each simulator with its options.

Names that mean the same simulator share a folder; other names never do.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from pathlib import Path
from urllib.parse import unquote_plus

from envwright.errors import EnvwrightError
from envwright.schema.names import join_options, parse_name
from envwright.translate.spec import FILE, TranslationSpec, load_spec

LONGEST = 60  # letters of a name that can be read
# Names of which the folder's name loses nothing but capitals.
PLAIN = re.compile(r"(gymnasium:[\w.-]+|python:[\w.]+:[\w.]+)(\?[a-z0-9_.=&-]+)?", re.ASCII)
UNSAFE = re.compile(r"[^a-z0-9_.=]+")
EDGES = "-.="


def canonical(simulator: str) -> str:
    """Return the one spelling of all names that mean the same simulator with the same options.

    1 and 1.0 stay apart, as a constructor may tell them apart.
    """
    name = parse_name(simulator.strip())
    if name.scheme == "command":
        try:
            return f"{name.scheme}:{shlex.join(shlex.split(name.target))}"
        except ValueError:  # an open quote; opening it reports that
            return simulator
    ordered = json.loads(json.dumps(name.options, sort_keys=True))
    return join_options(name.bare, ordered)


def default_folder(simulator: str) -> Path:
    """Return where a simulator goes if no folder is named.

    `gymnasium:FrozenLake-v1?map_name=8x8` goes to `frozenlake-v1-map_name=8x8`. A name that
    cannot be read in full ends with a hash of the whole.
    """
    name = canonical(simulator)
    scheme, target, query = parse_name(name)
    if scheme == "gymnasium":  # the module before the id only registers it
        target = target.rpartition(":")[2]
    rest = f"{target}?{query}" if query else target
    readable = UNSAFE.sub("-", unquote_plus(rest).lower())[:LONGEST].strip(EDGES)
    if PLAIN.fullmatch(name) and len(readable) == len(rest):
        return Path(readable)
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    return Path(f"{readable}-{digest}".strip(EDGES))


def spec_for(simulator: str, folder: Path) -> TranslationSpec | None:
    """Read the specification in a folder, if there is one. Raises if it is another simulator's."""
    if os.pathsep in str(folder.resolve()):
        raise EnvwrightError(
            f"Python cannot import from {folder.resolve()}, which has a '{os.pathsep}' in it; name "
            "another folder with -o"
        )
    if not (folder / FILE).exists():
        return None
    spec = load_spec(folder)
    if not same(spec.reference.simulator, simulator):
        raise EnvwrightError(
            f"{folder / FILE} translates {spec.reference.simulator or 'written rules'}, not "
            f"{simulator}; name another folder with -o, or run envwright translate {folder}"
        )
    return spec


def same(one: str, other: str) -> bool:
    """Return whether two names mean the same simulator with the same options."""
    return canonical(one) == canonical(other)
