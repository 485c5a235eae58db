"""Write a verified run as a package that pip installs."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.files import check_folder, make_folder, read_bytes, read_text, write_bytes
from envwright.core.outside_rooms import BESIDE, PROJECT
from envwright.core.package import VERSION
from envwright.core.room import TRANSLATION
from envwright.errors import EnvwrightError
from envwright.translate.constraints import LANGUAGE
from envwright.translate.jailed import Twin, last_module, twin_for
from envwright.translate.journal import Store
from envwright.translate.package.evidence import Evidence, evidence, licence_of
from envwright.translate.package.extension import NATIVE, STUB, WORKSPACE, write_extension
from envwright.translate.spec import TranslationSpec
from envwright.translate.stored_runs import StoredRun, as_damage, require_current
from envwright.translate.templates import templates
from envwright.verify.recorded import record_steps
from envwright.verify.room import compared

MARK = "# Written by `envwright export`, which replaces it."
ROOM, REGISTRATION = "_room.py", "_registration.py"
TOP = (PROJECT, "README.md", "NOTICE", "src", "tests")  # what is ours in the folder


def place_for(spec: TranslationSpec, output: Path | None, made: bool = False) -> Path:
    """Return the folder of a translation's package.

    A folder that envwright `made` for a simulator, or that is such a package already, is the
    package itself. In any other folder of the user's, it is `package/`.
    """
    if output is not None:
        return output
    return spec.folder if made or is_ours(spec.folder) else spec.folder / BESIDE


def is_ours(folder: Path) -> bool:
    """Return whether a folder holds a package that `export` wrote."""
    try:
        return read_text(folder / PROJECT).startswith(MARK)
    except (OSError, ValueError):
        return False


def export(run: StoredRun, folder: Path, confined: bool = True) -> Path:
    """Write a run's package into a folder, all of it or nothing. Returns the folder."""
    spec = run.spec
    _check_place(spec, folder)
    require_current(run.id, run.journal, spec)
    with as_damage(run.folder):
        shown = evidence(run)
    make_folder(folder)
    with as_damage(run.folder), tempfile.TemporaryDirectory(dir=folder, prefix=".draft-") as draft:
        root = Path(draft)
        _write_code(run, root, confined)
        _write_tests(run, root / "tests", confined)
        _write_about(run, shown, root)
        for name in _top(spec):
            _replace(root / name, folder / name)
        if not (folder / TRANSLATION).exists():
            write_bytes(folder / TRANSLATION, spec.path.read_bytes())
    return folder


def _check_place(spec: TranslationSpec, folder: Path) -> None:
    check_folder(folder)
    theirs = [name for name in _top(spec) if (folder / name).exists()]
    if theirs and not is_ours(folder):
        raise EnvwrightError(
            f"{folder} already contains {theirs[0]}, which envwright did not write; choose "
            "another folder with -o"
        )
    toml = folder / TRANSLATION
    if toml.exists() and toml.read_bytes() != spec.path.read_bytes():
        raise EnvwrightError(f"{folder} holds another translation; choose another folder with -o")


def _top(spec: TranslationSpec) -> tuple[str, ...]:
    return (*TOP, WORKSPACE) if spec.target.backend == "rust" else TOP


def _write_code(run: StoredRun, root: Path, confined: bool) -> None:
    spec = run.spec
    package, env = root / "src" / spec.target.package, last_module(spec)
    if spec.target.backend == "rust":
        env = write_extension(spec, _kept(run), root, confined)
        for name in (NATIVE, STUB):
            _write(package / name, _rendered(f"{name.removeprefix('_')}.jinja", spec=spec))
    else:
        _write_kept(run, f"src/{spec.target.package}/", package)
    for name in (ROOM, REGISTRATION):
        if (package / name).exists():
            raise EnvwrightError(f"the translation has a module {name}, a name that we need")
    init = package / "__init__.py"
    title = f'"""{spec.target.entry} in {LANGUAGE[spec.target.backend]}."""\n'
    its = init.read_bytes() if init.exists() else title.encode()
    _write(init, its + _rendered("init.py.jinja", spec=spec))
    _write(package / ROOM, _rendered("room.py.jinja", spec=spec, env=env))
    _write(package / REGISTRATION, _rendered("registration.py.jinja", spec=spec))
    _write(package / TRANSLATION, spec.path.read_bytes())


def _kept(run: StoredRun) -> dict[str, bytes]:
    """Return the files that the agent ended with, by path."""
    store = Store(run.folder / "objects")
    return {path: store.get(name) for path, name in run.position.files.items()}


def _write_kept(run: StoredRun, prefix: str, folder: Path) -> None:
    for path, data in _kept(run).items():
        if path.startswith(prefix):
            _write(folder / path.removeprefix(prefix), data)


def _write_tests(run: StoredRun, tests: Path, confined: bool) -> None:
    """The levels live, recorded steps and golden pairs without the reference, the agent's own."""
    spec = run.spec
    _write_kept(run, "tests/", tests)
    label = _record(run, tests / "recorded.npz", confined)
    in_python = spec.target.backend == "jax"  # golden pairs are of Python functions
    pairs = [(module, pair) for module in spec.modules for pair in module.golden if in_python]
    for module, pair in list(pairs):
        name = f"golden/{module.name}-{pair.ours}.npz"
        try:
            _write(tests / name, read_bytes(run.folder / "workspace" / name))
        except OSError:  # level 1 was not verified, or the run was cleaned up
            pairs.remove((module, pair))
    rendered = _rendered("test_levels.py.jinja", spec=spec, recorded=label, pairs=pairs)
    _write(tests / "test_levels.py", rendered)


def _record(run: StoredRun, file: Path, confined: bool) -> str | None:
    """Record steps of the reference in the first setting; return its label, or None."""
    spec = run.spec
    if not spec.reference.simulator:
        return None
    spec.make_reachable()
    with tempfile.TemporaryDirectory() as scratch:
        twin: Twin = twin_for(spec, run.folder / "workspace", Path(scratch), confined)
        check = spec.checks[0]
        pair = compared(check, spec.reference.simulator, lambda: twin.simulator(check)).open()
        try:
            table = record_steps(pair)
        finally:
            pair.close()
    if table is None:
        return None
    columns: dict[str, Any] = dict(table)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as opened:
        np.savez_compressed(opened, **columns)
    return check.label


def _write_about(run: StoredRun, shown: Evidence, root: Path) -> None:
    spec = run.spec
    needs = [f"envwright>={VERSION}"]
    tests = ["pytest", *([spec.reference.package] if spec.reference.package else [])]
    about = {"spec": spec, "evidence": shown, "mark": MARK, "needs": needs, "tests": tests}
    _write(root / PROJECT, _rendered("pyproject.toml.jinja", **about))
    _write(root / "README.md", _rendered("README.md.jinja", **about))
    licence = licence_of(spec.reference.package)
    _write(root / "NOTICE", _rendered("NOTICE.jinja", spec=spec, licence=licence))


def _rendered(template: str, spec: TranslationSpec, **values: object) -> bytes:
    gymnasium_id = f"{spec.target.package}/{spec.target.entry}-v{spec.version}"
    language = LANGUAGE[spec.target.backend]
    return (
        templates("package")
        .get_template(template)
        .render(spec=spec, gymnasium_id=gymnasium_id, language=language, **values)
        .encode()
    )


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _replace(draft: Path, target: Path) -> None:
    """Put a finished file or folder in the place of an earlier one of ours."""
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    draft.replace(target)
