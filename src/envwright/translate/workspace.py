"""The folder that an agent works in: its own files, guarded files, and snapshots.

The agent owns the code below `src/PACKAGE/` and its tests below `tests/own/`. Everything else
belongs to the harness, which rewrites it before every turn and undoes and reports changes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from envwright.sandbox import tree
from envwright.sandbox.tree import Fate, Unusable, shown
from envwright.translate.journal import Store

OWN_TESTS = "tests/own"
LITTER = {"__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache", "target", ".jax_cache"}
LARGEST = 2_000_000  # bytes of a file that is kept
ALL = 20_000_000  # bytes of all files
MOST, ENTRIES = 500, 5000  # files; files and folders that are looked at
LONGEST = 500  # letters of a path

Snapshot = dict[str, str]  # path below the workspace -> name in the store


class Leftovers(NamedTuple):
    """The files that an agent left in its folder after a turn."""

    changed: dict[str, str | None]  # path to name in the store, or None if deleted
    meddled: list[str]  # harness's files that it changed
    unusable: str  # why nothing is kept, or an empty string


class Workspace:
    """An agent's folder. Nothing that the agent leaves there can mislead or stop the harness."""

    def __init__(self, root: Path, store: Store, package: str) -> None:
        self.root, self.store = root, store
        # Not all of `src/`: a module beside the package could shadow another library's.
        self._agent_folders = (f"src/{package}/", f"{OWN_TESTS}/")

    def is_agents(self, path: str) -> bool:
        """Return whether the agent may change a file."""
        return path.startswith(self._agent_folders)

    def make_agent_folders(self) -> None:
        """Create the folders in which the agent may write."""
        for path in self._agent_folders:
            tree.make(self.root, path.rstrip("/"))

    def collect(self, before: Snapshot, guarded: Mapping[str, bytes]) -> Leftovers:
        """Restore the harness's files and store the agent's, if they can be kept."""
        meddled = self.guard(guarded)
        try:
            return Leftovers(difference(before, self.snapshot()), meddled, "")
        except Unusable as error:
            return Leftovers({}, meddled, str(error))

    # --- the agent's files ---------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Store the agent's current files. Raises `Unusable` for what cannot be kept."""
        paths = [
            path
            for folder in self._agent_folders
            for path, _ in tree.listed(self.root, folder.rstrip("/"), ENTRIES, LITTER)
        ]
        if len(paths) > MOST:
            raise Unusable(f"the agent left {len(paths):,} files; the limit is {MOST}")
        files, room = {}, ALL
        for path in sorted(paths):
            if not path.isprintable():
                raise Unusable(f"the agent's file name {shown(path)} is not printable UTF-8")
            if len(path) > LONGEST:
                raise Unusable(f"the path {shown(path)} has more than {LONGEST} letters")
            data = tree.read(self.root, path, LARGEST)
            room -= len(data)
            if room < 0:
                raise Unusable(f"the agent's files are larger than {ALL:,} bytes together")
            files[path] = self.store.put(data)
        return files

    def restore(self, files: Snapshot) -> None:
        """Restore exactly a snapshot's files. Removes litter, which may be code.

        A file that is as it should be keeps its time, so that nothing is built anew.
        """
        folders = _folders(files)
        wanted = {path: self.store.get(name) for path, name in files.items()}
        kept = {path for path, data in wanted.items() if tree.holds(self.root, path, data)}

        def fate(path: str, status: os.stat_result) -> Fate:
            if path.rpartition("/")[2] in LITTER:
                return Fate.SWEEP
            if stat.S_ISDIR(status.st_mode):
                stays = not self.is_agents(f"{path}/") or path in folders | self._roots
                return Fate.ENTER if stays else Fate.REMOVE
            lost = self.is_agents(path) or path in self._roots
            return Fate.REMOVE if lost and path not in kept else Fate.KEEP

        tree.prune(self.root, fate)
        for path in wanted.keys() - kept:
            tree.write(self.root, path, wanted[path])

    # --- the harness's files -------------------------------------------------------------------

    def guard(self, files: Mapping[str, bytes]) -> list[str]:
        """Restore the harness's files and return the paths that had changed."""
        folders = _folders([*files, *self._agent_folders])

        def fate(path: str, status: os.stat_result) -> Fate:
            if path.rpartition("/")[2] in LITTER:
                return Fate.KEEP
            if stat.S_ISDIR(status.st_mode):
                if path in self._roots:
                    return Fate.KEEP
                return Fate.ENTER if path in folders else Fate.REMOVE
            return Fate.KEEP if path in files else Fate.REMOVE

        meddled = {*tree.prune(self.root, fate)}
        for path, data in files.items():
            if tree.holds(self.root, path, data):
                continue  # its time stays, so that nothing is built anew
            if not self._holds(path, data):
                meddled.add(path)
            tree.write(self.root, path, data)
        return sorted(meddled)

    # --- parts ---------------------------------------------------------------------------------

    @property
    def _roots(self) -> set[str]:
        return {path.rstrip("/") for path in self._agent_folders}

    def _holds(self, path: str, data: bytes) -> bool:
        try:
            return tree.read(self.root, path, len(data)) == data
        except Unusable:
            return False


def _folders(paths: Iterable[str]) -> set[str]:
    """Return the folders above some paths."""
    return {path[:end] for path in paths for end, letter in enumerate(path) if letter == "/"}


def difference(before: Snapshot, after: Snapshot) -> dict[str, str | None]:
    """Return what an agent changed: path to name in the store, or None if deleted."""
    changed: dict[str, str | None] = {p: n for p, n in after.items() if before.get(p) != n}
    return changed | {p: None for p in before if p not in after}


def applied(before: Snapshot, changed: Mapping[str, str | None]) -> Snapshot:
    """Return a snapshot after a change."""
    merged = {**before, **changed}
    return {path: name for path, name in sorted(merged.items()) if name is not None}
