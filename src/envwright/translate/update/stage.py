"""The next version of a translation, in a folder of its own until its run is verified.

    FOLDER/updates/1.3.0/    a copy of the translation, which pins the new version
                 runs/       its run, which resumes after an interruption

When the run is verified, its toml, run and package take their places in FOLDER, all or none.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from envwright.core.files import make_folder, write_text
from envwright.core.outside_rooms import BESIDE, PROJECT
from envwright.core.pinned import Pin
from envwright.errors import EnvwrightError
from envwright.translate.package import contents_of, is_ours, place_for
from envwright.translate.package.placing import alone_in, replace
from envwright.translate.spec import FILE, TranslationSpec, load_spec
from envwright.translate.stored_runs import RUNS, last_run
from envwright.translate.update.editing import updated

UPDATES = "updates"
LEFT_OUT = (RUNS, UPDATES, "__pycache__")


@dataclass(frozen=True)
class Stage:
    """A translation that waits to take the place of another."""

    spec: TranslationSpec  # of the folder as it is
    new: Pin
    version: int  # of the translation

    @property
    def folder(self) -> Path:
        """Where the new translation is made."""
        return self.spec.folder / UPDATES / self.new.version

    def prepare(self) -> Path | None:
        """Copy the translation, with the new pin; return a run to resume, if there is one."""
        self._check_package()
        text = updated(self.spec.path, str(self.new), self.version)
        make_folder(self.folder)
        for old in self.folder.iterdir():  # of an earlier attempt
            if old.is_dir() and old.name != RUNS:
                shutil.rmtree(old)
            elif old.is_file() and not old.name.startswith("."):
                old.unlink()
        shutil.copytree(self.spec.folder, self.folder, dirs_exist_ok=True, ignore=self._ignored())
        write_text(self.folder / FILE, text)
        return last_run(load_spec(self.folder))

    def place(self) -> Path:
        """Put the verified translation in the place of the old one; return its run."""
        run = last_run(load_spec(self.folder), ended="verified")
        if run is None:
            raise EnvwrightError(f"{self.folder} has no verified run; run the update again")
        package = contents_of(self.spec) if self._is_package else (BESIDE,)
        names = (*package, f"{RUNS}/{run.name}", FILE)
        with alone_in(self.spec.folder, names):
            replace(self.folder, self.spec.folder, names)
        shutil.rmtree(self.folder, ignore_errors=True)
        if not os.listdir(self.folder.parent):
            self.folder.parent.rmdir()
        return self.spec.folder / RUNS / run.name

    @property
    def _is_package(self) -> bool:
        return place_for(self.spec, None) == self.spec.folder

    def _check_package(self) -> None:
        place = place_for(self.spec, None)
        if place.exists() and not is_ours(place):
            raise EnvwrightError(
                f"{place} is where the package goes, and envwright did not write what is there; "
                "move it away"
            )

    def _ignored(self) -> Callable[[str, list[str]], list[str]]:
        """Leave out runs, hidden files, and the package except for what marks it as ours."""
        made = {name.partition("/")[0] for name in contents_of(self.spec)} - {PROJECT}
        left_out = {*LEFT_OUT, FILE, *(made if self._is_package else {BESIDE})}

        def ignored(folder: str, names: list[str]) -> list[str]:
            without = left_out if Path(folder) == self.spec.folder else LEFT_OUT
            return [
                name
                for name in names
                if name.startswith(".") or name in without or not self._is_copied(folder, name)
            ]

        return ignored

    def _is_copied(self, folder: str, name: str) -> bool:
        """Return whether something can be copied: no pipe, and no link to a folder above."""
        path = Path(folder, name)
        if path.is_dir():
            return not self.spec.folder.resolve().is_relative_to(path.resolve())
        return path.is_file()
