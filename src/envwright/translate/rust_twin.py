"""A translation to Rust: built in a jail, then run in another and called over a pipe."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwright.core.files import plain
from envwright.errors import EnvwrightError
from envwright.sandbox import Finished, Jail, Limits, python_runtime, start, tree
from envwright.schema.names import join_options
from envwright.schema.translation import Check, Module
from envwright.sim.command import CommandSimulator
from envwright.sim.conversation import Child, Conversation
from envwright.sim.simulator import TwinRaised
from envwright.translate.allowed_rust import forbidden_in_rust
from envwright.translate.apart import reference_places
from envwright.translate.cargo import CompilerError, build, cargo
from envwright.translate.crate import crate_files, module_of
from envwright.translate.jailed import TEST_LIMITS, TWIN_LIMITS, Served, Twin, last_module

PATIENCE = 60.0  # seconds for one answer
TOLD = 3  # errors of the compiler that are shown
OWN = "tests/own/main.rs"


class NotCompiled(EnvwrightError, TwinRaised):
    """A module is missing because it does not compile."""

    def __init__(self, module: str, summary: str, detail: str = "") -> None:
        super().__init__(summary)
        self.module, self.detail = module, detail


@dataclass(frozen=True)
class RustTwin(Twin):
    """Builds each state of the code once, in `scratch`. Only reads the workspace."""

    @contextmanager
    def functions(self) -> Iterator[Conversation]:
        binary, broken = self._as_far_as_it_compiles()
        conversation = _Modules(lambda: self._serve(binary), broken)
        try:
            yield conversation
        finally:
            conversation.close()

    def simulator(self, check: Check) -> CommandSimulator:
        name, options = self.entry(check), _options(check)
        binary = self._whole()
        return CommandSimulator(
            name, name=name, start=lambda: self._serve(binary, options), patience=PATIENCE
        )

    def entry(self, check: Check) -> str:
        """`rust:crate.module:Type?option=1`, for people; it cannot be opened."""
        name = f"rust:{self.spec.target.package}.{last_module(self.spec)}"
        return join_options(name, check.options)

    def trained_as(self, check: Check) -> str:
        return f"command:{shlex.quote(str(self._whole()))} {shlex.quote(_options(check))}"

    def forbidden(self) -> list[str]:
        return forbidden_in_rust(self._agent_files(self.spec.modules, "src"))

    def own_tests(self) -> Finished | None:
        modules = self._written()
        files = self._agent_files(modules, "src", "tests/own")
        own = OWN in files
        inside = any(b"#[test]" in data for path, data in files.items() if path.startswith("src/"))
        if not (own or inside):
            return None
        files |= _encoded(crate_files(self.spec, modules, golden=False))
        crate = self._crate("tested", files)
        what = ["--lib"] * inside + ["--test=own"] * own
        # These run the agent's code, so nothing else uses what they write.
        target = self.scratch / "tests"
        done = cargo(["test", "--no-fail-fast", *what], crate, target, TEST_LIMITS, self.confined)
        return replace(done, stdout=_summary(done))

    # --- building ----------------------------------------------------------------------------

    def _whole(self) -> Path:
        """Return the environment's program, which does not need the golden pairs' functions."""
        modules = self._written()
        if self.spec.modules[-1] not in modules:
            raise self._missing(self.spec.modules[-1])
        try:
            return self._built(modules)
        except NotCompiled:
            return self._built(modules, golden=False)

    def _as_far_as_it_compiles(self) -> tuple[Path | None, dict[str, NotCompiled]]:
        """Return the program of the first modules that compile, and the errors."""
        modules = self._written()
        broken = {m.stem: self._missing(m) for m in self.spec.modules if m not in modules}
        while modules:
            try:
                return self._built(modules), broken
            except NotCompiled as error:
                first = next(i for i, m in enumerate(modules) if m.name == error.module)
                why = f"it is not compiled before {error.module} is: {error}"
                broken |= {m.stem: NotCompiled(m.name, why) for m in modules[first:]}
                broken[modules[first].stem] = error
                modules = modules[:first]
        return None, broken

    def _built(self, modules: Sequence[Module], golden: bool = True) -> Path:
        files = self._agent_files(modules, "src") | _encoded(
            crate_files(self.spec, modules, golden=golden)
        )
        place = self.scratch / "built" / _digest(files) / "twin"
        if place.exists():
            return place
        crate = self._crate("crate", files)
        program, errors = build(crate, self.scratch / "target", self.confined)
        if program is None:
            raise self._blamed(modules, errors)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(".part")
        shutil.copyfile(program, part)
        part.chmod(0o755)
        part.replace(place)
        return place

    def _blamed(self, modules: Sequence[Module], errors: list[CompilerError]) -> NotCompiled:
        """Return the first module that the compiler blames, with its messages."""
        told: dict[str, list[CompilerError]] = {}
        for error in errors:
            module = module_of(self.spec, error.file, error.source) or modules[-1]
            told.setdefault(module.name, []).append(error)
        name = next(m.name for m in modules if m.name in told)
        detail = "\n\n".join(error.told for error in told[name][:TOLD])
        return NotCompiled(name, str(told[name][0]), detail)

    def _missing(self, module: Module) -> NotCompiled:
        return NotCompiled(module.name, "there is no such file")

    def _written(self) -> list[Module]:
        folder = self.workspace / "src" / self.spec.target.package
        return [m for m in self.spec.modules if (folder / m.file).is_file()]

    def _agent_files(self, modules: Sequence[Module], *folders: str) -> dict[str, bytes]:
        """Return the agent's files by path, without modules that are not to be compiled."""
        source = self.workspace / "src" / self.spec.target.package
        left_out = {source / m.file for m in self.spec.modules if m not in modules}
        paths = {p for folder in folders for p in (self.workspace / folder).rglob("*")}
        files = sorted(p for p in paths - left_out if p.is_file() and not p.is_symlink())
        return {str(p.relative_to(self.workspace)): p.read_bytes() for p in files}

    def _crate(self, name: str, files: dict[str, bytes]) -> Path:
        """Create a folder with exactly these files."""
        crate = tree.fresh(self.scratch / name)
        for path, data in files.items():
            tree.write(crate, path, data)
        return crate

    # --- running -----------------------------------------------------------------------------

    def _serve(self, binary: Path | None, options: str | None = None) -> Child:
        assert binary is not None  # modules that do not compile are not called
        jail = Jail(
            readable=(binary.parent,),
            hidden=reference_places(self.spec),
            limits=TWIN_LIMITS,
            confined=self.confined,
        )
        command = [str(binary), *([] if options is None else [options])]
        return Served(start(command, jail, cwd=binary.parent), jail.limits)

    def _jail(self, name: str, limits: Limits) -> Jail:
        return Jail(
            writable=(self._scratch(name),),
            readable=(*python_runtime(), self.workspace, self._whole().parent),
            env={"PYTHONDONTWRITEBYTECODE": "1", "JAX_PLATFORMS": "cpu"},
            limits=limits,
            confined=self.confined,
        )


class _Modules(Conversation):
    """Calls the modules that compile and reports why the others do not."""

    def __init__(self, start: Callable[[], Child], broken: dict[str, NotCompiled]) -> None:
        super().__init__(start, PATIENCE)
        self._broken = broken  # by the name in the code

    def ask(self, op: str, at_most: int | None = None, **more: Any) -> dict[str, Any]:
        asked = more.get("module") or more.get("function", "")
        name = asked.partition(":")[0].rpartition(".")[2]
        if name in self._broken:
            raise self._broken[name]
        return super().ask(op, at_most, **more)


def _encoded(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def _digest(files: dict[str, bytes]) -> str:
    """Return a hash of a state of the code."""
    digest = hashlib.sha256()
    for path, data in files.items():
        digest.update(f"{path}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:16]


def _options(check: Check) -> str:
    """Format options for the command line."""
    return json.dumps(plain(check.options), sort_keys=True)


def _summary(done: Finished) -> str:
    """Summarise the test programs' results in one line."""
    counts = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed", done.stdout, re.M)
    if done.stopped or not counts:
        last = [line for line in done.stderr.splitlines() if line.startswith("error")][:1]
        return TEST_LIMITS.why(done.stopped) or (last or ["no output"])[0]
    passed, failed = (sum(map(int, column)) for column in zip(*counts, strict=True))
    return f"{passed} passed, {failed} failed"
