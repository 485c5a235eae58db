"""Turns of the agent: what is asked, what it may spend, and what is accepted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from envwright.agents.base import Answer, Task, TaskKind
from envwright.agents.proxy import spent
from envwright.core.files import make_folder, read_text, write_text
from envwright.errors import EnvwrightError
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.harness import guarded_files, regression_file
from envwright.translate.plan import Move, Position, Repair, Translate, WriteInteractions
from envwright.translate.run.context import RunContext
from envwright.translate.run.reporter import how_it_ended
from envwright.translate.space import require_space

HINT = "hint.md"  # of a person, in the run's folder
LONGEST_HINT = 1 << 20  # bytes


class Question(NamedTuple):
    """A turn before it is asked."""

    kind: TaskKind
    title: str
    prompt: str
    module: str = ""


@dataclass(frozen=True)
class Turns:
    """Asks the agent of a run."""

    context: RunContext

    def ask(self, move: Move) -> None:
        """Ask the agent, and accept what it did."""
        context = self.context
        require_space(context.folder)
        at = context.position
        question = self._question(move, at)
        again = at.pending is not None
        turn = at.pending if again else at.turns + 1
        assert turn is not None
        folder = context.folder / "turns" / f"{turn:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        if not (again and context.agent.patient):
            context.workspace.restore(at.files)
        written = move.module + 1 if isinstance(move, Translate) else at.translated
        tests = context.tests(at)
        guarded = guarded_files(context.spec, context.recordings, tests, question.prompt, written)
        context.workspace.guard(guarded)
        context.workspace.make_agent_folders()
        if not again:
            kept = context.store.put(question.prompt.encode())
            about = {"purpose": question.kind, "task": question.title, "prompt": kept}
            context.journal.append("asked", turn=turn, **about)
        context.reporter.say(f"turn {turn}: {question.title}")
        earlier = spent(folder)  # by an attempt at this turn that was killed
        meter = Meter(context.spec.budget, replace(at, usage=at.usage + earlier))
        allowance = meter.allowance(context.agent.patient)
        task = Task(
            turn,
            question.kind,
            question.title,
            question.prompt,
            context.workspace.root,
            folder,
            allowance,
            question.module,
        )
        answer = context.agent.ask(task)
        answer = replace(answer, usage=answer.usage + earlier)
        self._settle(at, question.kind, turn, answer, guarded)

    def _settle(
        self, at: Position, kind: TaskKind, turn: int, answer: Answer, guarded: dict[str, bytes]
    ) -> None:
        """Store the agent's files and restore the others."""
        context = self.context
        changed, meddled, unusable = context.workspace.collect(at.files, guarded)
        answer = answer.failed(unusable) if unusable else answer
        context.journal.append(
            "answered",
            turn=turn,
            purpose=kind,
            status=answer.status,
            reason=answer.reason,
            text=answer.text,
            usage=answer.usage.to_json(),
            seconds=round(answer.seconds, 3),
            files=changed,
            meddled=meddled,
        )
        for path in meddled:
            context.reporter.say(f"  restored {path}, which the agent must not change")
        context.reporter.say(how_it_ended(answer, list(changed)))

    def _question(self, move: Move, at: Position) -> Question:
        context = self.context
        hint = read_hint(context.folder)
        if isinstance(move, Translate):
            module = context.spec.modules[move.module].name
            text = prompts.translate_module(context.spec, move.module, context.recordings, hint)
            return Question(TaskKind.TRANSLATE, f"translate {module}", text, module)
        if isinstance(move, WriteInteractions):
            text = prompts.write_interactions(context.spec, hint)
            return Question(TaskKind.INTERACTIONS, "write tests between modules", text)
        assert isinstance(move, Repair)
        count = len(at.regressions)
        new = [regression_file(n) for n in range(count - at.new_regressions + 1, count + 1)]
        written = min(at.translated, len(context.spec.modules))
        paths = [
            f"src/{context.spec.target.package}/{m.file}" for m in context.spec.modules[:written]
        ]
        text = prompts.repair(
            context.spec,
            move.verdict,
            at.attempts + 1,
            modules=written,
            new_tests=new,
            meddled=at.meddled,
            unwritten=[p for p in paths if p not in at.files],
            hint=hint,
        )
        return Question(TaskKind.REPAIR, f"repair level {move.verdict.level}", text)


def read_hint(run: Path) -> str:
    """Return what a person has written for the agent of a run; "" if nothing."""
    path = run / HINT
    try:
        return read_text(path, LONGEST_HINT).strip()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise EnvwrightError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"{path} cannot be read: {reason}; write it anew") from error


def keep_hint(file: Path, run: Path) -> None:
    """Copy a text for the agent into the folder of a run."""
    try:
        text = read_text(file, LONGEST_HINT)
    except (OSError, UnicodeDecodeError) as error:
        raise EnvwrightError(f"{file} cannot be read as UTF-8 text; name another") from error
    make_folder(run)
    write_text(run / HINT, text)
