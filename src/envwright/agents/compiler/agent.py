"""The compiler as an agent of the recipe. It only answers what it can translate."""

from __future__ import annotations

import time
import traceback
from contextlib import ExitStack
from dataclasses import dataclass, field

from envwright.agents.base import AgentFailed, Answer, Task, TaskKind
from envwright.agents.compiler.job import Job
from envwright.agents.compiler.trouble import Impossible, Unsupported, place_of
from envwright.errors import EnvwrightError
from envwright.sandbox import tree
from envwright.schema.translation import Module

GOLDEN = "golden"
TRACEBACK = "compiler-error.txt"  # in a turn's folder


@dataclass
class CompilerAgent:
    """Writes the modules of one job. Equal jobs give equal code."""

    job: Job
    name: str = field(default="compiler", init=False)
    patient: bool = field(default=False, init=False)

    def ask(self, task: Task) -> Answer:
        began = time.monotonic()
        if task.kind is TaskKind.INTERACTIONS:
            return Answer("ok", text="no tests of its own; the harness judges the generated code")
        module = self._module(task)
        if module is None:
            raise AgentFailed(
                f"the compiler cannot {task.title}: it generates code and does not repair it; name "
                "an agent after it that can, as in --agent compiler,gemini"
            )
        try:
            code = self._written(module, task)
        except Exception as error:  # an error of its own is reported like any other limit
            reason = self._refusal(error, task)
            raise AgentFailed(f"the compiler cannot translate {module.name}: {reason}") from error
        package = f"src/{self.job.package}"
        if not (task.workspace / package / "__init__.py").exists():
            opening = f'"""{self.job.entry} in JAX."""\n'
            tree.write(task.workspace, f"{package}/__init__.py", opening.encode())
        tree.write(task.workspace, f"{package}/{module.file}", code.encode())
        lines = code.count("\n")
        said = f"{module.file}: {lines} lines from the reference's own source"
        return Answer("ok", text=said, seconds=time.monotonic() - began)

    def describe(self) -> dict[str, str]:
        return {"kind": "compiler", "costs": "none: it is a program of this package"}

    def _module(self, task: Task) -> Module | None:
        if task.kind is not TaskKind.TRANSLATE:
            return None
        return next((m for m in self.job.modules if m.name == task.module), None)

    def _written(self, module: Module, task: Task) -> str:
        from envwright.agents.compiler.compile import Compiled
        from envwright.agents.compiler.emit.goldens import Goldens
        from envwright.agents.compiler.emit.modules import Writer
        from envwright.agents.compiler.facts import gather_facts

        if self.job.backend != "jax":
            raise Unsupported("a translation to Rust", "choose backend = 'jax' in translation.toml")
        package = task.workspace / "src" / self.job.package

        def standing(other: Module) -> str:
            path = package / other.file
            return path.read_text(encoding="utf-8") if path.is_file() else ""

        with ExitStack() as opened:
            facts = gather_facts(self.job)
            opened.callback(facts.simulator.close)
            writer = Writer(Compiled(facts), standing)
            return writer.file(module, Goldens(task.workspace / GOLDEN))

    def _refusal(self, error: Exception, task: Task) -> Unsupported:
        """Return the reason why a module cannot be translated."""
        if isinstance(error, Unsupported):
            return error
        if isinstance(error, EnvwrightError):
            return Unsupported(str(error))
        if isinstance(error, Impossible):
            return Unsupported(
                f"code that cannot be followed to its end ({error})", "", error.place
            )
        task.folder.mkdir(parents=True, exist_ok=True)
        kept = task.folder / TRACEBACK
        kept.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        said = " ".join(str(error).split())[:200]
        return Unsupported(
            f"an error of the compiler itself ({type(error).__name__}: {said})",
            f"report it with {kept}, and name another agent after the compiler",
            place_of(error),
        )
