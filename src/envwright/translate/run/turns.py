"""Turns of the agent: what is asked, what it may spend, and what is taken over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from envwright.agents.base import Answer, Task
from envwright.agents.proxy import spent
from envwright.errors import EnvwrightError
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.harness import guarded_files, regression_file
from envwright.translate.plan import Move, Position, Repair, Translate, WriteInteractions
from envwright.translate.run.desk import Desk
from envwright.translate.run.talk import how_it_ended
from envwright.translate.workspace import difference


@dataclass(frozen=True)
class Turns:
    """Asks the agent of a run."""

    desk: Desk

    def ask(self, move: Move) -> None:
        """Put a question to the agent, and take over what it did."""
        desk = self.desk
        at = desk.position
        purpose, name, prompt = self._prompt(move, at)
        again = at.pending is not None
        turn = at.pending if again else at.turns + 1
        assert turn is not None
        folder = desk.folder / "turns" / f"{turn:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        if not (again and desk.agent.patient):
            desk.workspace.restore(at.files)
        written = move.module + 1 if isinstance(move, Translate) else at.translated
        tests = desk.tests(at)
        guarded = guarded_files(desk.spec, desk.recordings, tests, prompt, written)
        desk.workspace.guard(guarded)
        desk.make_own_folders()
        if not again:
            kept = desk.store.put(prompt.encode())
            desk.journal.append("asked", turn=turn, purpose=purpose, task=name, prompt=kept)
        desk.talk.say(f"turn {turn}: {name}")
        earlier = spent(folder)  # by an attempt at this turn that was killed
        meter = Meter(desk.spec.budget, replace(at, usage=at.usage + earlier))
        allowance = meter.allowance(desk.agent.patient)
        answer = desk.agent.ask(Task(turn, name, prompt, desk.workspace.root, folder, allowance))
        answer = replace(answer, usage=answer.usage + earlier)
        self._settle(at, purpose, turn, answer, guarded)

    def _settle(
        self, at: Position, purpose: str, turn: int, answer: Answer, guarded: dict[str, bytes]
    ) -> None:
        """His files into the store, the rest put back."""
        desk = self.desk
        meddled = desk.workspace.guard(guarded)
        try:
            changed = difference(at.files, desk.workspace.snapshot())
        except EnvwrightError as error:  # more than can be kept
            changed = {}
            answer = replace(answer, status="crash", reason=str(error))
        desk.journal.append(
            "answered",
            turn=turn,
            purpose=purpose,
            status=answer.status,
            reason=answer.reason,
            text=answer.text,
            usage=answer.usage.to_json(),
            seconds=round(answer.seconds, 3),
            files=changed,
            meddled=meddled,
        )
        for path in meddled:
            desk.talk.say(f"  {path} is not the agent's; it was put back")
        desk.talk.say(how_it_ended(answer, list(changed)))

    def _prompt(self, move: Move, at: Position) -> tuple[str, str, str]:
        """What kind of turn it is, its name, and the prompt."""
        desk = self.desk
        hint = self._hint()
        if isinstance(move, Translate):
            name = f"translate {desk.spec.modules[move.module].name}"
            text = prompts.translate_module(desk.spec, move.module, desk.recordings, hint)
            return "translate", name, text
        if isinstance(move, WriteInteractions):
            text = prompts.write_interactions(desk.spec, hint)
            return "interactions", "write tests between modules", text
        assert isinstance(move, Repair)
        count = len(at.regressions)
        new = [regression_file(n) for n in range(count - at.new_regressions + 1, count + 1)]
        written = min(at.translated, len(desk.spec.modules))
        paths = [f"src/{desk.spec.target.package}/{m.file}" for m in desk.spec.modules[:written]]
        text = prompts.repair(
            desk.spec,
            move.verdict,
            at.attempts + 1,
            modules=written,
            new_tests=new,
            meddled=at.meddled,
            unwritten=[p for p in paths if p not in at.files],
            hint=hint,
        )
        return "repair", f"repair level {move.verdict.level}", text

    def _hint(self) -> str:
        path = self.desk.folder / "hint.md"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""
