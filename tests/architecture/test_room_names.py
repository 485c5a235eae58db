"""Nothing of the package outside `zoo/<id>/` names the room `<id>`.

A room is named by

- a file or folder one of whose words, separated by `_` and `.`, is the id;
- an import of a module one of whose dotted parts is the id;
- a string constant without white space, one of whose words is the id or `<id>-v<number>`: "pong",
  "pong-v1", "envwright:pong?frame_skip=8", "envwright.zoo.pong.env:Pong", "benchmarks/pong.json".
  Words are separated by anything but letters, digits and hyphens, so that "pokemon-red", a game of
  the Game Boy, is a name of its own. Capitals count as small letters.

Sentences, which have white space, are not names: docstrings, comments, help and errors may use a
room as an example. The parts of an f-string count as one text.

A room may use a word of its game that happens to be another room's id: in the folder of a room, a
string is a name only if the id follows `zoo.`, `zoo/`, `envwright:` or `envwright/`, or precedes a
version. Cards of TCG Pocket are of the kind "pokemon".
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import envwright
from envwright.core.registry import rooms

PACKAGE = Path(envwright.__file__).parent
IDS = sorted({room.id for room in rooms()})
TEXTS = {".toml", ".jinja", ".j2", ".js", ".css", ".md", ".txt"}  # beside Python


def names_in(file: Path, text: str, room: str) -> list[str]:
    """Where a file, by its path inside the package, names a room that it does not belong to."""
    if file.parts[:2] == ("zoo", room):
        return []
    inside = file.parts[0] == "zoo"
    words = {word for part in file.parts for word in re.split(r"[_.]", part.lower())}
    found = [f"{file}: its name"] if room in words else []
    if file.suffix == ".py":
        imports, strings = _parsed(text)
        found += [f"{file}: imports {each}" for each in imports if room in each.split(".")]
    else:
        strings = text.split() if file.suffix in TEXTS else []
    return found + [f"{file}: {each!r}" for each in strings if _is_name(each, room, inside)]


def _is_name(text: str, room: str, inside: bool) -> bool:
    """Whether a text without white space names a room."""
    if inside:
        word = rf"(?:zoo[./]|envwright[:/]){room}\b|(?<![\w-]){room}-v\d"
    else:
        word = rf"(?<![a-z0-9-]){room}(?:-v\d+)?(?![a-z0-9-])"
    return re.search(word, text.lower()) is not None


@functools.cache
def _parsed(text: str) -> tuple[list[str], list[str]]:
    """What a file imports, and its string constants without white space."""
    tree = ast.parse(text)
    return list(_imports(tree)), [each for each in _strings(tree) if not re.search(r"\s", each)]


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _strings(tree: ast.AST) -> Iterator[str]:
    parts: set[ast.AST] = set()  # of f-strings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            yield "".join(str(getattr(each, "value", "")) for each in node.values
                          if isinstance(each, ast.Constant))  # fmt: skip
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.value


def _files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(PACKAGE)


@pytest.mark.parametrize("room", IDS)
def test_nothing_outside_its_folder_names_a_room(room):
    found = []
    for file in _files():
        readable = file.suffix == ".py" or file.suffix in TEXTS
        text = (PACKAGE / file).read_text(encoding="utf-8") if readable else ""
        found += names_in(file, text, room)
    assert found == []


SEEDED = {
    "a file": ("cli/pong.py", ""),
    "a folder": ("verify/pong/levels.py", ""),
    "part of a file's name": ("bench/pong_peers.py", ""),
    "an import": ("cli/verify.py", "import envwright.zoo.pong.env"),
    "an import of the room": ("cli/verify.py", "from envwright.zoo import pong"),
    "an id": ("cli/bench.py", "name = given or 'pong'"),
    "an id and version": ("cli/bench.py", "name = 'pong-v1'"),
    "a title": ("cli/bench.py", "name = 'envwright/Pong-v1'"),
    "a simulator": ("sim/resolve.py", "name = 'envwright:pong?frame_skip=8'"),
    "a module": ("sim/resolve.py", "name = f'envwright.zoo.pong.{part}'"),
    "a simulator in another room": ("zoo/cartpole/env.py", "name = 'envwright:pong'"),
    "a module in another room": ("zoo/cartpole/bench.py", "name = 'envwright.zoo.pong.env:Pong'"),
    "a template": ("report/templates/page.html.j2", "<a href='envwright:pong'>"),
}
NOT_NAMES = {
    "its own folder": ("zoo/pong/env.py", "name = 'pong'"),
    "a docstring": ("cli/verify.py", "'''Verify an environment such as pong.'''"),
    "help": ("cli/verify.py", "help = 'For instance pong, or pong-v1.'"),
    "an error in parts": ("report/results.py", "error = f'run envwright verify {name}/pong.json'"),
    "another word": ("cli/verify.py", "name = 'ping-pong'; other = 'pongs'"),
    "a word of another game": ("zoo/cartpole/env.py", "kind = 'pong'"),
}


@pytest.mark.parametrize(("file", "text"), SEEDED.values(), ids=SEEDED)
def test_a_name_is_seen(file, text):
    assert len(names_in(Path(file), text, "pong")) == 1


@pytest.mark.parametrize(("file", "text"), NOT_NAMES.values(), ids=NOT_NAMES)
def test_what_is_not_a_name_is_not_counted(file, text):
    assert names_in(Path(file), text, "pong") == []
