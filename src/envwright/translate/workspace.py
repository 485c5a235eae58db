"""The folder an agent works in: what is his, what is guarded, and snapshots of both.

His are the code below `src/PACKAGE/` and his tests below `tests/own/`. All else belongs to
the harness: it is written anew before every turn; a change to it is undone and reported.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from envwright.errors import EnvwrightError
from envwright.translate.journal import Store

OWN_TESTS = "tests/own"
LITTER = {"__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache", "target", ".jax_cache"}
LARGEST = 2_000_000  # bytes of a file that is kept
MOST = 500  # files

Snapshot = dict[str, str]  # path below the workspace -> name in the store


class Workspace:
    """One agent's folder."""

    def __init__(self, root: Path, store: Store, package: str) -> None:
        self.root, self.store = root, store
        # Not all of `src/`: a module beside the package could stand in for somebody else's.
        self._his = (f"src/{package}/", f"{OWN_TESTS}/")

    def is_his(self, path: str) -> bool:
        """Whether a file may be changed by the agent."""
        return path.startswith(self._his)

    # --- his files ---------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """His files as they are now, kept."""
        files = {p: self._kept(p) for p in sorted(self._files()) if self.is_his(p)}
        if len(files) > MOST:
            raise EnvwrightError(f"the agent left {len(files)} files; at most {MOST} are kept")
        return files

    def restore(self, files: Snapshot) -> None:
        """Make his files those of a snapshot, and nothing else; litter may be code, too."""
        self._sweep()
        for path in list(self._files()):
            if self.is_his(path) and path not in files:
                self._remove(path)
        for path, name in files.items():
            self._write(path, self.store.get(name))

    # --- the harness's files -------------------------------------------------------------------

    def guard(self, files: Mapping[str, bytes]) -> list[str]:
        """Make everything that is not his what the harness says; returns what was not so."""
        meddled = []
        for path in list(self._files()):
            if not self.is_his(path) and path not in files:
                self._remove(path)
                meddled.append(path)
        for path, data in files.items():
            target = self.root / path
            if target.is_symlink() or not target.is_file() or target.read_bytes() != data:
                meddled.append(path)
                self._write(path, data)
        return sorted(meddled)

    # --- parts ---------------------------------------------------------------------------------

    def _sweep(self) -> None:
        """Remove what tools leave behind: nobody looks into it, and Python would run it."""
        self.root.mkdir(parents=True, exist_ok=True)
        for folder, names, _ in os.walk(self.root):
            for name in LITTER.intersection(names):
                self._clear(Path(folder) / name)
                names.remove(name)

    def _files(self) -> list[str]:
        """All files, without what tools leave behind; links count as files and lead nowhere."""
        self.root.mkdir(parents=True, exist_ok=True)
        found = []
        stack = [self.root]
        while stack:
            for entry in stack.pop().iterdir():
                if entry.name in LITTER:
                    continue
                if entry.is_dir() and not entry.is_symlink():
                    stack.append(entry)
                else:
                    found.append(str(PurePosixPath(entry.relative_to(self.root))))
        return found

    def _kept(self, path: str) -> str:
        target = self.root / path
        if target.is_symlink() or not target.is_file():
            target.unlink()
            return self.store.put(b"")
        if target.stat().st_size > LARGEST:
            raise EnvwrightError(f"the agent's file {path} is larger than {LARGEST:,} bytes")
        return self.store.put(target.read_bytes())

    def _write(self, path: str, data: bytes) -> None:
        target = self.root / path
        for part in reversed(target.relative_to(self.root).parents[:-1]):
            folder = self.root / part
            if folder.is_symlink() or folder.is_file():
                folder.unlink()
        self._clear(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def _remove(self, path: str) -> None:
        self._clear(self.root / path)

    @staticmethod
    def _clear(target: Path) -> None:
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)


def difference(before: Snapshot, after: Snapshot) -> dict[str, str | None]:
    """What an agent changed: path -> name in the store, None if it is gone."""
    changed: dict[str, str | None] = {p: n for p, n in after.items() if before.get(p) != n}
    return changed | {p: None for p in before if p not in after}


def applied(before: Snapshot, changed: Mapping[str, str | None]) -> Snapshot:
    """A snapshot after a change."""
    merged = {**before, **changed}
    return {path: name for path, name in sorted(merged.items()) if name is not None}
