"""Makes a verified translation faster without changing what it computes.

Round by round: profile, ask for one change, verify all levels again, race the candidate
against the incumbent, keep it only if it is faster beyond the noise. The history says what
every change brought.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.agents.base import Agent, Task, Usage
from envwright.bench.machine import describe_machine
from envwright.errors import EnvwrightError
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.goldens import record
from envwright.translate.harness import guarded_files
from envwright.translate.jailed import Twin, twin_for
from envwright.translate.journal import Event, Journal, Store
from envwright.translate.judge import Judge
from envwright.translate.plan import Position
from envwright.translate.race import BATCHES, REPEATS, Contest, contest, racing_check, speeds
from envwright.translate.run import Talk
from envwright.translate.start import Kept
from envwright.translate.verdict import Verdict
from envwright.translate.workspace import Snapshot, Workspace, applied, difference

ROUNDS = 5
TIRED = 2  # rounds in a row without gain, after which nobody asks any more


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
    _measured: dict[int, float] = field(default_factory=dict)

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
        self.recordings = record(self.spec, self.run.folder / "golden")

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
        """What it cost."""
        total = Usage()
        for event in self.journal.of("round"):
            total += Usage(**event["usage"])
        return total

    def to_json(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {
            "kind": "optimisation",
            "env": self.spec.id,
            "gain": self.gain,
            "usage": self.usage.to_json(),
            "rounds": [
                {**change.__dict__, "race": event["race"]}
                for change, event in zip(self.history, self.journal.of("round"), strict=True)
            ],
        }

    # --- rounds ----------------------------------------------------------------------------------

    def go(self) -> list[Change]:
        """Round after round; returns the history."""
        while len(self.history) < self.rounds and not self._tired():
            spent = Position(usage=self.usage, turns=len(self.history))
            meter = Meter(self.spec.budget, spent)
            if meter.exhausted:
                self.talk.say(f"the budget is reached: {meter.exhausted}")
                break
            self._round(len(self.history) + 1, meter)
        self._workspace("workspace", self.files)
        return self.history

    def _tired(self) -> bool:
        last = self.history[-TIRED:]
        return len(last) == TIRED and not any(change.kept for change in last)

    def _round(self, number: int, meter: Meter) -> None:
        self.talk.say(f"round {number}: measuring")
        files = self.files
        old = self._twin(self._workspace("incumbent", files).root, "incumbent")
        prompt = self._prompt(old)
        workspace = self._workspace("workspace", files)
        tests = [self.store.get(name) for name in self.regressions]
        guarded = guarded_files(self.spec, self.recordings, tests, prompt)
        workspace.guard(guarded)
        folder = self.folder / "turns" / f"{number:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        self.talk.say(f"round {number}: asking")
        answer = self.agent.ask(
            Task(number, "optimise", prompt, workspace.root, folder, meter.allowance())
        )
        meddled = workspace.guard(guarded)
        changed = difference(files, workspace.snapshot())
        kept, why, race, verdicts = self._tried(old, workspace, changed, tests)
        if answer.status != "ok" and not changed:
            why = answer.reason or answer.status
        event = self.journal.append(
            "round",
            number=number,
            status=answer.status,
            said=(answer.text.strip().splitlines() or [""])[-1][:300],
            usage=answer.usage.to_json(),
            seconds=round(answer.seconds, 3),
            files=changed,
            meddled=meddled,
            kept=kept,
            why=why,
            race=None if race is None else race.to_json(),
            verdicts=[v.to_json() for v in verdicts],
        )
        self.talk.say(str(_change(event)))

    def _tried(
        self, old: Twin, workspace: Workspace, changed: dict[str, Any], tests: list[bytes]
    ) -> tuple[bool, str, Contest | None, list[Verdict]]:
        """Whether a candidate is kept, why, and what was measured."""
        if not any(path.startswith("src/") for path in changed):
            return False, "nothing was changed", None, []
        new = self._twin(workspace.root, "candidate")
        verdicts: list[Verdict] = []
        with Judge(self.spec, new, self.recordings, tests, self.talk.progress) as judge:
            for level in (1, 2, 3):
                whole = len(self.spec.modules)
                verdicts.append(judge.modules(whole) if level == 1 else judge.level(level, False))
                if not verdicts[-1].green:
                    first = verdicts[-1].failures[0]
                    why = f"level {level} fails: {first.test}: {first.summary}"
                    return False, why, None, verdicts
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
        if not race.faster:
            return False, "it is not faster beyond the noise", race, verdicts
        doubt = " (implausible, so its last step was compared with the reference)"
        return True, "faster" + (doubt if race.implausible else ""), race, verdicts

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

    def _workspace(self, name: str, files: Snapshot) -> Workspace:
        root = self.folder / name
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        workspace = Workspace(root, self.store)
        workspace.restore(files)
        for path in (f"src/{self.spec.target.package}", "tests/own"):
            (root / path).mkdir(parents=True, exist_ok=True)
        return workspace

    def _twin(self, root: Path, name: str) -> Twin:
        return twin_for(self.spec, root, self.folder / "scratch" / name, self.confined)


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
