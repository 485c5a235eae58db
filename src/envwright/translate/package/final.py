"""The code that a run ended with: as verified, or faster after rounds of optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envwright.sandbox import tree
from envwright.translate.journal import Journal, Store
from envwright.translate.optimise.history import History
from envwright.translate.optimise.loop import FOLDER
from envwright.translate.stored_runs import JOURNAL, StoredRun
from envwright.translate.workspace import Snapshot, Workspace


@dataclass(frozen=True)
class FinalCode:
    """The files of a run's code and tests."""

    run: StoredRun
    files: Snapshot
    kept: int = 0  # rounds of optimisation
    gain: float = 1.0  # that they brought

    def write(self, prefix: str, folder: Path) -> None:
        """Write the files below a prefix into a folder."""
        store = self._store
        for path, name in self.files.items():
            if path.startswith(prefix):
                tree.write(folder, path.removeprefix(prefix), store.get(name))

    def workspace(self, root: Path) -> Path:
        """Make a workspace with the files, for a jail."""
        workspace = Workspace(root, self._store, self.run.spec.target.package)
        workspace.restore(self.files)
        return root

    @property
    def _store(self) -> Store:
        return Store(self.run.folder / "objects")


def final_code(run: StoredRun) -> FinalCode:
    """Return the fastest verified code of a run."""
    verified = run.position.files
    journal = run.folder / FOLDER / JOURNAL
    if not journal.is_file():
        return FinalCode(run, verified)
    history = History(Journal(journal), verified)
    kept = sum(change.kept for change in history.changes)
    return FinalCode(run, history.files, kept, history.gain)
