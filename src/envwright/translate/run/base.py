"""The verified code of an earlier run, for a run that begins with it."""

from __future__ import annotations

from collections.abc import Sequence

from envwright.errors import EnvwrightError
from envwright.translate.journal import Store
from envwright.translate.run.context import Base
from envwright.translate.spec import TranslationSpec
from envwright.translate.stored_runs import StoredRun


def base_of(run: StoredRun, spec: TranslationSpec, again: Sequence[str] = ()) -> Base:
    """Return a run's code. Modules that are named in `again` are to be translated once more.

    It is the code as the run verified it, before rounds of optimisation: these may use what only a
    race checks.
    """
    at = run.position
    if at.ended != "verified":
        raise EnvwrightError(
            f"run {run.id} ended as {at.ended or 'interrupted'}; --base takes a verified one"
        )
    names = [module.name for module in spec.modules]
    unknown = [name for name in again if name not in names]
    if unknown:
        raise EnvwrightError(f"there is no module {unknown[0]!r}; use {', '.join(names)}")
    store = Store(run.folder / "objects")
    files = {path: store.get(name) for path, name in at.files.items()}
    package = f"src/{spec.target.package}"
    missing = [m.file for m in spec.modules if f"{package}/{m.file}" not in files]
    if missing:
        raise EnvwrightError(
            f"run {run.id} has no {package}/{missing[0]}, which {spec.path} asks for; run the "
            "translation without --base"
        )
    return Base(run.id, files, tuple(name for name in names if name not in again))
