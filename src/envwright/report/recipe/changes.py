"""Collect what every turn changed: counts of lines, and each file's history as differences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from envwright.report.recipe.history import Edit, Files, Turn
from envwright.report.recipe.texts import Texts

MOST_LINES = 4000  # larger files are not compared line by line, which takes minutes


@dataclass(frozen=True)
class Change:
    """One file before and after a turn."""

    path: str
    label: str  # who made the change
    anchor: str
    made: bool  # the file is new
    gone: bool  # the file was removed
    lines: tuple[tuple[str, str], ...]  # kind and text of each line of the difference

    @property
    def added(self) -> int:
        return sum(kind == "added" for kind, _ in self.lines)

    @property
    def removed(self) -> int:
        return sum(kind == "removed" for kind, _ in self.lines)

    @property
    def what(self) -> str:
        """A word for the change, if it is not an ordinary one."""
        return "new" if self.made else "removed" if self.gone else ""


@dataclass
class FileHistory:
    """A file and its changes."""

    path: str
    anchor: str
    name: str | None  # in the store; None if it was removed
    changes: list[Change] = field(default_factory=list)

    @property
    def is_code(self) -> bool:
        """Whether it is part of the translation, rather than a test of the agent."""
        return self.path.startswith("src/")


def histories(entries: Sequence[Turn | Edit], texts: Texts) -> list[FileHistory]:
    """Return every file that was ever written: code first, removed files last."""
    found: dict[str, FileHistory] = {}
    for entry in entries:
        for path, name in entry.files.items():
            file = found.setdefault(path, FileHistory(path, f"file-{len(found) + 1}", None))
            anchor = f"{file.anchor}-{len(file.changes) + 1}"
            file.changes.append(_change(path, entry.label, anchor, file.name, name, texts))
            file.name = name
    return sorted(found.values(), key=lambda f: (f.name is None, not f.is_code, f.path))


def changes_of(label: str, before: Files, files: Files, texts: Texts) -> list[Change]:
    """Return what one round changed, compared with `before`."""
    return [
        _change(path, label, "", before.get(path), name, texts)
        for path, name in sorted(files.items())
    ]


def _change(
    path: str, label: str, anchor: str, before: str | None, after: str | None, texts: Texts
) -> Change:
    lines = tuple(_difference(texts.get(before), texts.get(after)))
    return Change(path, label, anchor, made=before is None, gone=after is None, lines=lines)


def _difference(before: str, after: str) -> Iterable[tuple[str, str]]:
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > MOST_LINES:
        yield "place", f"{len(old):,} lines became {len(new):,}; too many to be compared"
        return
    for line in list(difflib.unified_diff(old, new, n=3, lineterm=""))[2:]:
        kind = {"+": "added", "-": "removed", "@": "place"}.get(line[0], "same")
        yield kind, line
