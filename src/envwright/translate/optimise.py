"""Makes a verified translation faster without changing what it computes.

Round by round: profile, ask for one change, verify levels 1 to 3 again, race the candidate
against the incumbent, keep it only if it is faster beyond the noise. Level 4 is not verified
again: it would train anew after every change. The history says what every change brought.

The journal has `asked` before the agent is asked, `answered` after it, and `round` when its
change is judged and raced: whatever was done when it was stopped is not done again.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from envwright.agents.base import Agent, AgentFailed, Task, Usage
from envwright.agents.proxy import spent
from envwright.bench.machine import describe_machine
from envwright.errors import EnvwrightError
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.goldens import record
from envwright.translate.harness import guarded_files
from envwright.translate.jailed import Twin, twin_for
from envwright.translate.journal import Event, Journal, Store, alone
from envwright.translate.judge import Judge
from envwright.translate.plan import Position
from envwright.translate.race import BATCHES, REPEATS, Contest, contest, racing_check, speeds
from envwright.translate.run import Talk
from envwright.translate.start import Kept
from envwright.translate.verdict import Verdict
from envwright.translate.workspace import Snapshot, Workspace, applied, difference

ROUNDS = 5
TIRED = 2  # rounds in a row without gain, after which a call asks no more
Outcome = Literal["done", "agent", "budget"]


@dataclass(frozen=True)
class Change:
    """One round of the history."""

    round: int
    said: str
    kept: bool
    why: str
    gain: float | None = None
    low: float | None = None

    def __str__(self) -> str:
        measured = "" if self.gain is None else f" ({self.gain:.3f} ×, above {self.low:.3f})"
        return f"round {self.round}: {self.said or 'no word'}: {self.why}{measured}"


@dataclass
class Optimisation:
    """The rounds after a run. Goes on where it was stopped."""

    run: Kept
    agent: Agent
    confined: bool = True
    rounds: int = ROUNDS
    batches: tuple[int, ...] = BATCHES
    repeats: int = REPEATS
    talk: Talk = Talk()
    outcome: Outcome = "done"  # how the last call of `go` ended, and why
    reason: str = ""

    def __post_init__(self) -> None:
        at = self.run.position
        if at.ended != "verified":
            raise EnvwrightError(
                f"run {self.run.id} is not verified; finish it with translate --resume first"
            )
        self.spec = self.run.spec
        self.spec.make_reachable()
        self.regressions = at.regressions
        self.folder = self.run.folder / "optimise"
        self.folder.mkdir(exist_ok=True)
        self.journal = Journal(self.folder / "journal.jsonl")
        self.store = Store(self.run.folder / "objects")
        self.verified: Snapshot = at.files
        # What decides is drawn as in the run; one of before that was a secret has no seed.
        self.secret: int = self.run.journal.of("begun")[0].data.get("seed", 0)
        known = self.run.journal.of("begun", "resumed")[-1]["spec"]
        self.recordings = record(self.spec, self.run.folder / "golden" / known, self.secret + 1)

    # --- where it stands -------------------------------------------------------------------------

    @property
    def files(self) -> Snapshot:
        """The fastest version so far."""
        files = self.verified
        for event in self.journal.of("round"):
            files = applied(files, event["files"]) if event["kept"] else files
        return files

    @property
    def history(self) -> list[Change]:
        """What was tried, and what it brought."""
        return [_change(event) for event in self.journal.of("round")]

    @property
    def gain(self) -> float:
        """How many times faster than at the start."""
        total = 1.0
        for change in self.history:
            total *= change.gain if change.kept and change.gain else 1.0
        return total

    @property
    def usage(self) -> Usage:
        """What it cost, attempts among it that were killed."""
        total = sum((Usage(**event["usage"]) for event in self._answers()), Usage())
        pending = self._pending
        return total + spent(self._turn(pending["turn"])) if pending else total

    @property
    def seconds(self) -> float:
        """How long the agent worked, and how long he was judged and raced."""
        worked = sum(event["seconds"] for event in self._answers())
        return worked + sum(e.data.get("judging", 0.0) for e in self.journal.of("round"))

    def _answers(self) -> list[Event]:
        """All answers; of rounds that were written before answers were, the rounds."""
        answers = self.journal.of("answered")
        known = {event["number"] for event in answers}
        return answers + [e for e in self.journal.of("round") if e["number"] not in known]

    @property
    def _pending(self) -> Event | None:
        """A question that has no answer yet."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        return last[0] if last and last[0].kind == "asked" else None

    @property
    def _unjudged(self) -> Event | None:
        """An answer whose change was not judged yet."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        waits = last and last[0].kind == "answered" and not _refused(last[0])
        return last[0] if waits else None

    def to_json(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {
            "kind": "optimisation",
            "env": self.spec.id,
            "outcome": self.outcome,
            "reason": self.reason,
            "gain": self.gain,
            "usage": self.usage.to_json(),
            "rounds": [
                {**change.__dict__, "race": event["race"]}
                for change, event in zip(self.history, self.journal.of("round"), strict=True)
            ],
        }

    # --- rounds ----------------------------------------------------------------------------------

    def go(self) -> list[Change]:
        """Round after round; returns the history. `outcome` says how it ended."""
        with alone(self.folder):
            self.journal = Journal(self.journal.path)  # as it is now that nobody else writes
            earlier = len(self.history)
            self.outcome, self.reason = "done", ""
            try:
                while self.outcome == "done" and self._goes_on(earlier):
                    self._next()
            except AgentFailed as error:
                self._end("agent", str(error))
            if not (self._pending and self.agent.patient):
                self._workspace("workspace", self.files)
            return self.history

    def _goes_on(self, earlier: int) -> bool:
        if self._unjudged:
            return True
        last = self.history[earlier:][-TIRED:]  # whoever calls again may try again
        tired = len(last) == TIRED and not any(change.kept for change in last)
        return len(self.history) < self.rounds and not tired

    def _next(self) -> None:
        """Ask, or judge what was answered."""
        if self._unjudged:
            self._judge(self._unjudged)
            return
        turns = len(self.journal.of("answered"))
        meter = Meter(
            self.spec.budget, Position(usage=self.usage, turns=turns, seconds=self.seconds)
        )
        if meter.exhausted:
            self._end("budget", f"the budget is reached: {meter.exhausted}")
            return
        answered = self._ask(meter)
        if _refused(answered):
            outcome = "budget" if answered["status"] == "budget" else "agent"
            self._end(outcome, answered["reason"] or answered["status"])
            return
        self._judge(answered)
        if answered["status"] == "budget":
            self._end("budget", answered["reason"] or "the budget is reached")

    def _end(self, outcome: Outcome, reason: str) -> None:
        self.outcome, self.reason = outcome, reason
        self.journal.append("ended", outcome=outcome, reason=reason)
        self.talk.say(reason)

    def _ask(self, meter: Meter) -> Event:
        """The question and its answer; one that was asked already is asked again as it was."""
        files, pending = self.files, self._pending
        kept = pending is not None and self.agent.patient  # what he did so far is his
        number = len(self.history) + 1
        if pending is None:
            self.talk.say(f"round {number}: measuring")
            old = self._twin(self._workspace("incumbent", files).root, "incumbent")
            prompt, turn = self._prompt(old), self._turns() + 1
        else:
            prompt, turn = self.store.get(pending["prompt"]).decode(), pending["turn"]
        workspace = self._workspace("workspace", None if kept else files)
        guarded = guarded_files(self.spec, self.recordings, self._tests(), prompt)
        workspace.guard(guarded)
        folder = self._turn(turn)
        folder.mkdir(parents=True, exist_ok=True)
        if pending is None:
            name = self.store.put(prompt.encode())
            self.journal.append("asked", number=number, turn=turn, prompt=name)
        self.talk.say(f"round {number}: asking")
        earlier = spent(folder)  # by an attempt that was killed
        answer = self.agent.ask(
            Task(turn, "optimise", prompt, workspace.root, folder, meter.allowance())
        )
        meddled = workspace.guard(guarded)
        return self.journal.append(
            "answered",
            number=number,
            turn=turn,
            status=answer.status,
            reason=answer.reason,
            said=(answer.text.strip().splitlines() or [""])[-1][:300],
            usage=(answer.usage + earlier).to_json(),
            seconds=round(answer.seconds, 3),
            files=difference(files, workspace.snapshot()),
            meddled=meddled,
        )

    def _judge(self, answered: Event) -> None:
        """Verify and race what was answered."""
        began = time.monotonic()
        files, changed = self.files, answered["files"]
        old = self._twin(self._workspace("incumbent", files).root, "incumbent")
        workspace = self._workspace("workspace", applied(files, changed))
        kept, why, race, verdicts = self._tried(old, workspace, changed, self._tests())
        if answered["status"] != "ok" and not changed:
            why = answered["reason"] or answered["status"]
        copied = ("number", "turn", "status", "said", "usage", "seconds", "files", "meddled")
        event = self.journal.append(
            "round",
            **{name: answered[name] for name in copied},
            judging=round(time.monotonic() - began, 3),
            kept=kept,
            why=why,
            race=None if race is None else race.to_json(),
            verdicts=[v.to_json() for v in verdicts],
        )
        self.talk.say(str(_change(event)))

    def _tests(self) -> list[bytes]:
        return [self.store.get(name) for name in self.regressions]

    def _turns(self) -> int:
        """Questions so far; a question whose answer was refused has its number for itself."""
        asked = [event["turn"] for event in self.journal.of("asked")]
        return max([*asked, *(event["number"] for event in self.journal.of("round"))], default=0)

    def _tried(
        self, old: Twin, workspace: Workspace, changed: dict[str, Any], tests: list[bytes]
    ) -> tuple[bool, str, Contest | None, list[Verdict]]:
        """Whether a candidate is kept, why, and what was measured."""
        if not any(path.startswith("src/") for path in changed):
            return False, "nothing was changed", None, []
        new = self._twin(workspace.root, "candidate")
        verdicts: list[Verdict] = []
        progress, seed = self.talk.progress, self.secret
        with Judge(self.spec, new, self.recordings, tests, progress, seed) as judge:
            for level in (1, 2, 3):
                whole = len(self.spec.modules)
                verdicts.append(judge.modules(whole) if level == 1 else judge.level(level, False))
                if not verdicts[-1].green:
                    return False, _shortfall(verdicts[-1]), None, verdicts
        race = contest(
            self.spec,
            old,
            new,
            batches=self.batches,
            repeats=self.repeats,
            progress=self.talk.progress,
        )
        if race.wrong:
            return False, f"the timed run computed something else: {race.wrong}", race, verdicts
        if race.incredible:
            why = f"too good to be true, and not to be checked: {race.unchecked}"
            return False, why, race, verdicts
        if not race.faster:
            return False, "it is not faster beyond the noise", race, verdicts
        doubt = " (implausible, but its steps are right)" if race.implausible else ""
        doubt = f" (its steps were not checked: {race.unchecked})" if race.unchecked else doubt
        return True, f"faster{doubt}", race, verdicts

    def _prompt(self, old: Twin) -> str:
        with old.simulator(racing_check(self.spec)) as simulator:
            found = speeds(simulator, self.batches)
            profile = simulator.profile(max(self.batches))
        machine = describe_machine()
        return prompts.optimise(
            self.spec,
            machine=f"{machine.get('cpu', 'this machine')}, {machine.get('cores', '?')} cores",
            speeds=[f"batch {b}: {s:,.0f} steps per second" for b, s in found.items()],
            profile=profile,
            history=[str(change) for change in self.history],
        )

    # --- folders ---------------------------------------------------------------------------------

    def _workspace(self, name: str, files: Snapshot | None) -> Workspace:
        """A folder with these files and no others, or None: with whatever is in it."""
        root = self.folder / name
        if files is not None:
            shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True, exist_ok=True)
        workspace = Workspace(root, self.store, self.spec.target.package)
        if files is not None:
            workspace.restore(files)
        for path in (f"src/{self.spec.target.package}", "tests/own"):
            (root / path).mkdir(parents=True, exist_ok=True)
        return workspace

    def _turn(self, turn: int) -> Path:
        return self.folder / "turns" / f"{turn:03d}"

    def _twin(self, root: Path, name: str) -> Twin:
        return twin_for(self.spec, root, self.folder / "scratch" / name, self.confined)


def _shortfall(verdict: Verdict) -> str:
    if not verdict.failures:
        return f"level {verdict.level} is inconclusive: {verdict.undecided}"
    first = verdict.failures[0]
    return f"level {verdict.level} fails: {first.test}: {first.summary}"


def _refused(answered: Event) -> bool:
    """Whether the agent cannot go on, and did nothing: no round, and no use in asking again."""
    return answered["status"] in ("auth", "crash", "budget") and not answered["files"]


def _change(event: Event) -> Change:
    race = event["race"] or {}
    return Change(
        event["number"],
        event["said"],
        event["kept"],
        event["why"],
        race.get("gain"),
        race.get("low"),
    )
