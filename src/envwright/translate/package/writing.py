"""Write a verified run as a package that pip installs."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.files import check_folder, make_folder, read_bytes, read_text
from envwright.core.outside_rooms import BESIDE, PROJECT
from envwright.core.package import VERSION
from envwright.core.room import TRANSLATION
from envwright.errors import EnvwrightError
from envwright.translate.constraints import LANGUAGE
from envwright.translate.jailed import Twin, last_module, twin_for
from envwright.translate.journal import Store
from envwright.translate.package.beside import modules_beside, packaged_toml, source_of
from envwright.translate.package.evidence import (
    evidence,
    last_verdicts,
    licence_of,
    with_speeds,
)
from envwright.translate.package.extension import NATIVE, STUB, WORKSPACE, write_extension
from envwright.translate.package.final import FinalCode, final_code
from envwright.translate.package.placing import alone_in, asides, draft_in, replace
from envwright.translate.package.results import BENCH, VERIFY, store_results, verification
from envwright.translate.package.trial import try_package
from envwright.translate.spec import TranslationSpec
from envwright.translate.stored_runs import StoredRun, as_damage, require_current
from envwright.translate.templates import templates
from envwright.verify.recorded import record_answers
from envwright.verify.room import compared

MARK = "# Written by `envwright export`, which replaces it."
ROOM, REGISTRATION = "_room.py", "_registration.py"
PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*( *(==|~=|>=|<=|<|>) *[A-Za-z0-9.+!]+)?")
TOP = (PROJECT, "README.md", "NOTICE", "src", "tests", VERIFY, BENCH)  # what is ours in the folder

Told = Callable[[str], None]


def _quiet(text: str) -> None:
    """Ignore a message."""


def place_for(spec: TranslationSpec, output: Path | None, made: bool = False) -> Path:
    """Return the folder of a translation's package.

    A folder that envwright `made` for a simulator, or that is such a package already, is the
    package itself. In any other folder of the user's, it is `package/`.
    """
    if output is not None:
        return output
    return spec.folder if made or is_ours(spec.folder) else spec.folder / BESIDE


def is_ours(folder: Path) -> bool:
    """Return whether a folder holds a package that `export` wrote, or was about to replace."""
    return any(_is_marked(place / PROJECT) for place in (folder, *asides(folder)))


def _is_marked(project: Path) -> bool:
    try:
        return read_text(project).startswith(MARK)
    except (OSError, ValueError):
        return False


def export(
    run: StoredRun, folder: Path, confined: bool = True, measure: bool = False, told: Told = _quiet
) -> Path:
    """Write a run's package into a folder, all of it or nothing. Returns the folder.

    With `measure`, the package contains a short benchmark. `told` gets a sentence if that fails.
    """
    spec = run.spec
    _check_place(spec, folder)
    require_current(run.id, run.journal, spec)
    with as_damage(run.folder):
        code = final_code(run)
        shown, verdicts = evidence(run, code.kept, code.gain), last_verdicts(run)
        _require_unchanged(run)
        seed = run.journal.of("begun")[0].data.get("seed") or 0
    make_folder(folder)
    known = (*contents_of(spec), *_translation(spec))
    with alone_in(folder, known), draft_in(folder) as draft, as_damage(run.folder):
        _write_code(code, draft, confined)
        workspace = code.workspace(draft / ".workspace")
        recorded, pairs = _write_tests(code, workspace, draft / "tests", confined)
        _write_about(spec, draft)
        for name in _translation(spec):
            _write(draft / name, read_bytes(spec.folder / name))
        try_package(spec, draft, recorded, pairs, confined)
        checked = verification(spec, verdicts, seed)
        bench, why = store_results(spec, draft, checked, measure, confined)
        if why:
            told(f"the package is not measured: {why}")
        shown = with_speeds(shown, bench) if bench else shown
        _write(draft / "README.md", _rendered("README.md.jinja", spec=spec, evidence=shown))
        # A toml that is there is the same.
        replace(draft, folder, contents_of(spec) if (folder / TRANSLATION).exists() else known)
    return folder


def _require_unchanged(run: StoredRun) -> None:
    """Raise if the specification is not the verified one: the package would claim too much."""
    known = run.journal.of("begun", "resumed")[-1]["spec"]
    verified = Store(run.folder / "objects").get(known)
    if not verified.startswith(run.spec.path.read_bytes()):
        raise EnvwrightError(
            f"{run.spec.path} has changed since run {run.id} was verified; verify it again with "
            f"envwright translate {run.spec.folder} --resume"
        )


def check_replaceable(folder: Path, names: Sequence[str] = (*TOP, WORKSPACE)) -> None:
    """Raise if a folder holds files of the user's where a package would be written."""
    theirs = [name for name in names if os.path.lexists(folder / name)]
    if theirs and not is_ours(folder):
        raise EnvwrightError(
            f"{folder} already contains {theirs[0]}, which envwright did not write; choose "
            "another folder with -o"
        )


def _check_place(spec: TranslationSpec, folder: Path) -> None:
    check_folder(folder)
    fresh = not (folder / TRANSLATION).exists()
    check_replaceable(folder, (*contents_of(spec), *(_translation(spec) if fresh else ())))
    for above in {(folder / name).parent for name in (*contents_of(spec), *_translation(spec))}:
        if above != folder and above.is_symlink():
            raise EnvwrightError(f"{above} is a link; remove it, or choose another folder with -o")
    toml = folder / TRANSLATION
    if toml.exists() and toml.read_bytes() != spec.path.read_bytes():
        raise EnvwrightError(f"{folder} holds another translation; choose another folder with -o")


def _translation(spec: TranslationSpec) -> list[str]:
    """Return the names of the toml and of the code beside it that it names."""
    files = [spec.path, *(source_of(spec, module) for module in modules_beside(spec))]
    return [str(file.relative_to(spec.folder)) for file in files]


def contents_of(spec: TranslationSpec) -> tuple[str, ...]:
    """Return what is ours in the folder of a package."""
    return (*TOP, WORKSPACE) if spec.target.backend == "rust" else TOP


def _write_code(code: FinalCode, root: Path, confined: bool) -> None:
    spec = code.run.spec
    package, env = root / "src" / spec.target.package, last_module(spec)
    if spec.target.backend == "rust":
        store = Store(code.run.folder / "objects")
        kept = {path: store.get(name) for path, name in code.files.items()}
        env = write_extension(spec, kept, root, confined)
        for name in (NATIVE, STUB):
            _write(package / name, _rendered(f"{name.removeprefix('_')}.jinja", spec=spec))
    else:
        code.write(f"src/{spec.target.package}/", package)
    shipped = {f"{ours}.py": source_of(spec, its) for its, ours in modules_beside(spec).items()}
    for name in (ROOM, REGISTRATION, *shipped):
        if (package / name).exists():
            raise EnvwrightError(f"the translation has a module {name}, a name that we need")
    init = package / "__init__.py"
    title = f'"""{spec.target.entry} in {LANGUAGE[spec.target.backend]}."""\n'
    its = init.read_bytes() if init.exists() else title.encode()
    _write(init, its + _rendered("init.py.jinja", spec=spec))
    _write(package / ROOM, _rendered("room.py.jinja", spec=spec, env=env))
    _write(package / REGISTRATION, _rendered("registration.py.jinja", spec=spec))
    for name, source in shipped.items():
        _write(package / name, read_bytes(source))
    packaged_toml(spec, package / TRANSLATION)


def _write_tests(
    code: FinalCode, workspace: Path, tests: Path, confined: bool
) -> tuple[str | None, list[tuple[str, str]]]:
    """The levels live, recorded steps and golden pairs without the reference, the agent's own.

    Returns the label of the recorded check, and the golden functions with their modules.
    """
    run, spec = code.run, code.run.spec
    code.write("tests/", tests)
    label = _record(spec, workspace, tests / "recorded.npz", confined)
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
    return label, [(module.name, pair.ours) for module, pair in pairs]


def _record(spec: TranslationSpec, workspace: Path, file: Path, confined: bool) -> str | None:
    """Record the reference's answers in the first setting; return its label, or None."""
    if not spec.reference.simulator:
        return None
    spec.make_reachable()
    with tempfile.TemporaryDirectory() as scratch:
        twin: Twin = twin_for(spec, workspace, Path(scratch), confined, raced=True)
        check = spec.checks[0]
        pair = compared(check, spec.reference.simulator, lambda: twin.simulator(check)).open()
        try:
            table = record_answers(pair)
        finally:
            pair.close()
    if table is None:
        return None
    columns: dict[str, Any] = dict(table)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as opened:
        np.savez_compressed(opened, **columns)
    return check.label


def _write_about(spec: TranslationSpec, root: Path) -> None:
    needs = [f"envwright>={VERSION}"]
    tests = ["pytest", *([spec.reference.package] if spec.reference.package else [])]
    project = _rendered("pyproject.toml.jinja", spec=spec, mark=MARK, needs=needs, tests=tests)
    _write(root / PROJECT, project)
    licence = licence_of(spec.reference.package)
    _write(root / "NOTICE", _rendered("NOTICE.jinja", spec=spec, licence=licence))


def _rendered(template: str, spec: TranslationSpec, **values: object) -> bytes:
    language = LANGUAGE[spec.target.backend]
    return (
        templates("package")
        .get_template(template)
        .render(spec=spec, gymnasium_id=spec.gymnasium_id, language=language, **values)
        .encode()
    )


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
