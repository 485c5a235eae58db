"""The folder that an agent works in: its own files, guarded files, and snapshots.

The agent owns the code below `src/PACKAGE/` and its tests below `tests/own/`. Everything else
belongs to the harness, which rewrites it before every turn and undoes and reports changes.
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
    """An agent's folder."""

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
            (self.root / path).mkdir(parents=True, exist_ok=True)

    # --- the agent's files ---------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Store the agent's current files."""
        files = {p: self._kept(p) for p in sorted(self._files()) if self.is_agents(p)}
        if len(files) > MOST:
            raise EnvwrightError(f"the agent left {len(files)} files; the limit is {MOST}")
        return files

    def restore(self, files: Snapshot) -> None:
        """Restore exactly a snapshot's files. Removes litter, which may be code."""
        self._sweep()
        for path in list(self._files()):
            if self.is_agents(path) and path not in files:
                self._clear(self.root / path)
        for path, name in files.items():
            self._write(path, self.store.get(name))

    # --- the harness's files -------------------------------------------------------------------

    def guard(self, files: Mapping[str, bytes]) -> list[str]:
        """Restore the harness's files and return the paths that had changed."""
        meddled = []
        for path in list(self._files()):
            if not self.is_agents(path) and path not in files:
                self._clear(self.root / path)
                meddled.append(path)
        for path, data in files.items():
            target = self.root / path
            if target.is_symlink() or not target.is_file() or target.read_bytes() != data:
                meddled.append(path)
                self._write(path, data)
        return sorted(meddled)

    # --- parts ---------------------------------------------------------------------------------

    def _sweep(self) -> None:
        """Remove caches and other litter of tools, which Python might run."""
        self.root.mkdir(parents=True, exist_ok=True)
        for folder, names, _ in os.walk(self.root):
            for name in LITTER.intersection(names):
                self._clear(Path(folder) / name)
                names.remove(name)

    def _files(self) -> list[str]:
        """Yield all files except tools' litter. Links count as files and are not followed."""
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

    @staticmethod
    def _clear(target: Path) -> None:
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)


def difference(before: Snapshot, after: Snapshot) -> dict[str, str | None]:
    """Return what an agent changed: path to name in the store, or None if deleted."""
    changed: dict[str, str | None] = {p: n for p, n in after.items() if before.get(p) != n}
    return changed | {p: None for p in before if p not in after}


def applied(before: Snapshot, changed: Mapping[str, str | None]) -> Snapshot:
    """Return a snapshot after a change."""
    merged = {**before, **changed}
    return {path: name for path, name in sorted(merged.items()) if name is not None}
