"""A run of the recipe: it can be stopped at any moment, and goes on from its journal.

RUN/journal.jsonl   what happened
RUN/objects/        files by their hash: code, new tests, prompts
RUN/workspace/      where the agent works
RUN/golden/         what the reference's functions did
RUN/turns/001/      a turn's logs and recorded exchanges
RUN/human.md        what a person is asked, and RUN/hint.md, what she answers
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import envwright
from envwright.agents.base import Agent, AgentFailed, Answer, Task
from envwright.agents.proxy import spent
from envwright.bench.machine import describe_machine
from envwright.core.files import write_text
from envwright.errors import EnvwrightError, Exit
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.estimate import estimate
from envwright.translate.goldens import Recording, record, require_usable
from envwright.translate.harness import guarded_files, regression_file
from envwright.translate.jailed import twin_for
from envwright.translate.journal import FORMAT, Journal, Store, alone
from envwright.translate.judge import Judge
from envwright.translate.plan import (
    Finish,
    JudgeLevels,
    JudgeModules,
    Move,
    Position,
    Repair,
    Translate,
    WriteInteractions,
    fold,
    next_move,
)
from envwright.translate.sources import excerpts
from envwright.translate.spec import TranslationSpec
from envwright.translate.transfer import judge_transfer
from envwright.translate.verdict import Verdict
from envwright.translate.workspace import Workspace, difference

WAITING = ("human", "budget", "agent", "inconclusive", "verified")
EXITS = {
    "verified": Exit.EQUAL,
    "inconclusive": Exit.INCONCLUSIVE,
    "budget": Exit.BUDGET,
    "human": Exit.HUMAN_NEEDED,
    "agent": Exit.AGENT_FAILED,
    "interrupted": Exit.INTERRUPTED,
}


@dataclass(frozen=True)
class Talk:
    """Who is told what while a run goes on."""

    say: Callable[[str], None] = lambda text: None
    progress: Callable[[str, int, int], None] = lambda what, done, total: None


@dataclass
class Run:
    """One translation, from its journal."""

    folder: Path
    spec: TranslationSpec
    agent: Agent
    levels: tuple[int, ...]
    confined: bool = True
    talk: Talk = Talk()
    clock: Callable[[], float] = time.time
    seed: int | None = None  # of what decides; None draws one
    _recordings: list[Recording] = field(default_factory=list)
    _sitting: tuple[object, Judge] | None = None

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()  # a jail has another working directory
        self.folder.mkdir(parents=True, exist_ok=True)
        self.journal = Journal(self.folder / "journal.jsonl", self.clock)
        self.store = Store(self.folder / "objects")
        root = self.folder / "workspace"
        root.mkdir(exist_ok=True)
        self.workspace = Workspace(root, self.store, self.spec.target.package)

    # --- from the outside ----------------------------------------------------------------------

    def go(self) -> Finish:
        """Do whatever is next until nothing is; the journal knows how it ended."""
        with alone(self.folder):
            # Another process may have been at work since it was opened.
            self.journal = Journal(self.journal.path, self.clock)
            return self._go()

    def _go(self) -> Finish:
        self._begin()
        self.spec.make_reachable()
        if self.spec.reference.simulator:
            self.talk.say("recording the reference")
            require_usable(self.spec)
        if 1 in self.levels:  # else nobody is to be helped by golden pairs
            place = self.folder / "golden" / self._known["spec"]
            self._recordings = record(self.spec, place, self.secret + 1)
        if not self.journal.of("asked"):
            self._say_estimate()
        try:
            while True:
                move = self._next()
                if isinstance(move, Finish):
                    return self._finish(move)
                self._do(move)
        except AgentFailed as error:
            return self._finish(Finish("agent", str(error)))
        except KeyboardInterrupt:
            self.journal.append("ended", outcome="interrupted", reason="interrupted by a person")
            raise
        finally:
            self._dismiss()

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return fold(self.journal.events, self.spec, self.levels)

    @property
    def secret(self) -> int:
        """The seed of everything that decides; outside of what an agent can see."""
        return self.journal.of("begun")[0]["seed"]

    @property
    def _known(self) -> dict[str, Any]:
        """The specification and the levels, as the journal knows them."""
        begun = self.journal.of("begun", "resumed")
        return {name: begun[-1][name] for name in ("spec", "levels")} if begun else {}

    @property
    def code(self) -> Path:
        """The folder of the translated package's parent, to be put on a Python path."""
        return self.workspace.root / "src"

    # --- the loop ------------------------------------------------------------------------------

    def _begin(self) -> None:
        at = self.position
        known = {"spec": self.store.put(self._specification()), "levels": list(self.levels)}
        about = {"agent": self.agent.describe(), "budget": dict(self.spec.budget.__dict__)}
        if not self.journal.events:
            told = {"envwright": envwright.__version__, "machine": describe_machine()}
            names = {"id": self.spec.id, "reference": self.spec.reference.simulator}
            seed = secrets.randbelow(2**31) if self.seed is None else self.seed
            self.journal.append(
                "begun", format=FORMAT, seed=seed, **names, **known, **about, **told
            )
            return
        changed = self._known != known
        if at.ended != "verified" or changed:
            edits = self._edits_of_a_person(at)
            if edits:
                self.journal.append("edited", files=edits)
            self.journal.append("resumed", changed=changed, **known, **about)

    def _specification(self) -> bytes:
        """The file and what the modules' source is now: if either changes, all is judged anew."""
        self.spec.make_reachable()
        texts = [
            str(e) + e.text for module in self.spec.modules for e in excerpts(self.spec, module)
        ]
        return self.spec.path.read_bytes() + "\n".join(texts).encode()

    def _say_estimate(self) -> None:
        """What it may cost, where somebody has to pay."""
        price = getattr(self.agent, "price", None)
        if price is None:
            return
        expected = estimate(self.spec, self._recordings)
        dollars = [price(usage) for usage in expected.usage]
        money = "" if None in dollars else f", ${dollars[0]:.2f} to ${dollars[1]:.2f}"
        self.talk.say(f"{expected}{money}")

    def _edits_of_a_person(self, at: Position) -> dict[str, str | None]:
        """What somebody changed in the code while the run waited; it had been left as it was."""
        if at.ended not in WAITING:
            return {}
        return difference(at.files, self.workspace.snapshot())

    def _next(self) -> Move:
        at = self.position
        if at.ended == "verified":
            return Finish("verified", "it was finished before")
        move = next_move(at, self.spec, self.levels)
        if isinstance(move, Translate | Repair | WriteInteractions):
            reason = Meter(self.spec.budget, at).exhausted
            if reason:
                return Finish("budget", reason)
        return move

    def _do(self, move: Move) -> None:
        if isinstance(move, JudgeModules | JudgeLevels):
            self._judge(move)
        else:
            self._ask(move)

    # --- turns -----------------------------------------------------------------------------------

    def _ask(self, move: Move) -> None:
        at = self.position
        purpose, name, prompt = self._prompt(move, at)
        again = at.pending is not None
        turn = at.pending if again else at.turns + 1
        assert turn is not None
        folder = self.folder / "turns" / f"{turn:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        if not (again and self.agent.patient):
            self.workspace.restore(at.files)
        written = move.module + 1 if isinstance(move, Translate) else at.translated
        tests = self._tests(at)
        guarded = guarded_files(self.spec, self._recordings, tests, prompt, written)
        self.workspace.guard(guarded)
        self._own_folders()
        if not again:
            kept = self.store.put(prompt.encode())
            self.journal.append("asked", turn=turn, purpose=purpose, task=name, prompt=kept)
        self.talk.say(f"turn {turn}: {name}")
        earlier = spent(folder)  # by an attempt at this turn that was killed
        allowance = Meter(self.spec.budget, replace(at, usage=at.usage + earlier)).allowance()
        if self.agent.patient and self.spec.budget.minutes is None:
            allowance = replace(allowance, seconds=math.inf)  # a person may sleep over it
        answer = self.agent.ask(Task(turn, name, prompt, self.workspace.root, folder, allowance))
        answer = replace(answer, usage=answer.usage + earlier)
        self._settle(at, purpose, turn, answer, guarded)

    def _settle(
        self, at: Position, purpose: str, turn: int, answer: Answer, guarded: dict[str, bytes]
    ) -> None:
        """Take over what the agent did: his files into the store, the rest put back."""
        meddled = self.workspace.guard(guarded)
        try:
            changed = difference(at.files, self.workspace.snapshot())
        except EnvwrightError as error:  # more than can be kept
            changed = {}
            answer = replace(answer, status="crash", reason=str(error))
        self.journal.append(
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
            self.talk.say(f"  {path} is not the agent's; it was put back")
        self.talk.say(_how_it_ended(answer, list(changed)))

    def _prompt(self, move: Move, at: Position) -> tuple[str, str, str]:
        """What kind of turn it is, its name, and the prompt."""
        hint = self._hint()
        if isinstance(move, Translate):
            name = f"translate {self.spec.modules[move.module].name}"
            text = prompts.translate_module(self.spec, move.module, self._recordings, hint)
            return "translate", name, text
        if isinstance(move, WriteInteractions):
            text = prompts.write_interactions(self.spec, hint)
            return "interactions", "write tests between modules", text
        assert isinstance(move, Repair)
        count = len(at.regressions)
        new = [regression_file(n) for n in range(count - at.new_regressions + 1, count + 1)]
        written = min(at.translated, len(self.spec.modules))
        paths = [f"src/{self.spec.target.package}/{m.file}" for m in self.spec.modules[:written]]
        text = prompts.repair(
            self.spec,
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
        path = self.folder / "hint.md"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    def _own_folders(self) -> None:
        for path in (f"src/{self.spec.target.package}", "tests/own"):
            (self.workspace.root / path).mkdir(parents=True, exist_ok=True)

    # --- judgement -------------------------------------------------------------------------------

    def _judge(self, move: JudgeModules | JudgeLevels) -> None:
        at = self.position
        self.workspace.restore(at.files)
        self._own_folders()
        began = time.monotonic()
        verdicts = self._verdicts(self._judge_of(at), move)
        whole = isinstance(move, JudgeLevels) or move.count == len(self.spec.modules)
        self.journal.append(
            "judged",
            phase=at.phase,
            module=at.module,
            whole=whole,
            verdicts=[v.to_json() for v in verdicts],
            regressions=[self.store.put(test) for v in verdicts for test in v.regressions],
            seconds=round(time.monotonic() - began, 3),
        )
        for verdict in verdicts:
            self.talk.say(_how_it_stands(verdict))

    def _judge_of(self, at: Position) -> Judge:
        """The judge of the code as it is: what he has opened serves until it changes."""
        code = (at.files, at.regressions)
        if self._sitting is None or self._sitting[0] != code:
            self._dismiss()
            # Code that was there before must not leave notes for the code that is there now.
            scratch = self.folder / "scratch"
            shutil.rmtree(scratch, ignore_errors=True)
            twin = twin_for(self.spec, self.workspace.root, scratch, self.confined)
            judge = Judge(
                self.spec,
                twin,
                self._recordings,
                self._tests(at),
                self.talk.progress,
                self.secret,
            )
            self._sitting = (code, judge)
        return self._sitting[1]

    def _dismiss(self) -> None:
        if self._sitting is not None:
            self._sitting[1].close()
            self._sitting = None

    def _verdicts(self, judge: Judge, move: JudgeModules | JudgeLevels) -> list[Verdict]:
        """The levels in order, up to the first that is not green."""
        if isinstance(move, JudgeModules):
            return [judge.modules(move.count)]
        verdicts: list[Verdict] = []
        for level in move.levels:
            self.talk.say(f"  level {level} …")
            if level == 1:
                verdict = judge.modules(len(self.spec.modules))
            elif level == 4:
                policies = self._policies()
                verdict = judge_transfer(self.spec, judge.twin, policies, self.talk.say)
                if verdict.failures:
                    judge.diagnose(verdict, sorted(policies.rglob("policies/*.npz")))
            else:
                verdict = judge.level(level, keep_regressions=1 in self.levels)
            verdicts.append(verdict)
            if not verdict.green:
                break
        return verdicts

    def _policies(self) -> Path:
        """Where level 4 keeps what it trains: another place for other code."""
        files = json.dumps(self.position.files, sort_keys=True)
        return self.folder / "policies" / hashlib.sha256(files.encode()).hexdigest()[:12]

    def _tests(self, at: Position) -> list[bytes]:
        return [self.store.get(name) for name in at.regressions]

    # --- the end ------------------------------------------------------------------------------

    def _finish(self, finish: Finish) -> Finish:
        at = self.position
        self.workspace.restore(at.files)
        if finish.outcome == "human":
            write_text(self.folder / "human.md", self._page(finish, at))
        if at.ended != finish.outcome:
            self.journal.append("ended", outcome=finish.outcome, reason=finish.reason)
        return finish

    def _page(self, finish: Finish, at: Position) -> str:
        return prompts.human_page(
            self.spec,
            reason=finish.reason,
            run=self.folder.name,
            agent=self.agent.name,
            turns=at.turns,
            usage=at.usage,
            where=f"Phase {at.phase}; {at.module} of {len(self.spec.modules)} modules are done.",
            verdict=at.failing,
            history=_history(self.journal),
            hint=self.folder / "hint.md",
            workspace=self.workspace.root,
            folder=self.spec.folder,
        )


def _history(journal: Journal) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for event in journal.events:
        if event.kind == "answered":
            files = ", ".join(event["files"]) or "none"
            rows.append([event["turn"], event["purpose"], event["status"], files, ""])
        elif event.kind == "judged" and rows:
            failed = [f for v in event["verdicts"] for f in v["failures"]]
            rows[-1][-1] = f"{len(failed)} failed" if failed else "green"
    return rows


def _how_it_ended(answer: Answer, files: list[str]) -> str:
    cost = f", {answer.usage.tokens:,} tokens" if answer.usage.tokens else ""
    cost += f", ${answer.usage.dollars:.4f}" if answer.usage.dollars else ""
    reason = f": {answer.reason}" if answer.reason else ""
    changed = f"{len(files)} files" if files else "nothing"
    return f"  {answer.status}{reason}; changed {changed} in {answer.seconds:.0f} s{cost}"


def _how_it_stands(verdict: Verdict) -> str:
    if verdict.green:
        return f"  level {verdict.level}: all {verdict.total} tests pass"
    if not verdict.failures:
        return f"  level {verdict.level}: inconclusive: {verdict.undecided}"
    first = verdict.failures[0]
    count = f"{len(verdict.failures)} of {verdict.total}"
    return f"  level {verdict.level}: {count} tests fail; {first.test}: {first.summary}"
