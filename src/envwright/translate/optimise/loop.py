"""The optimisation loop: ask, judge and race until there is no more gain. It can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from envwright.agents.base import Agent, AgentFailed, Task, TaskKind, Usage
from envwright.agents.proxy import spent
from envwright.bench.machine import describe_machine
from envwright.core.files import alone
from envwright.core.package import VERSION
from envwright.errors import EnvwrightError
from envwright.sandbox import described, tree
from envwright.schema import results
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.deadline import OutOfTime
from envwright.translate.goldens import record
from envwright.translate.harness import guarded_files
from envwright.translate.jailed import Twin, twin_for
from envwright.translate.journal import Event, Journal, Store
from envwright.translate.optimise.history import History, refused, round_of
from envwright.translate.optimise.trial import Court, Trial
from envwright.translate.plan import Position
from envwright.translate.race import BATCHES, REPEATS, speeds
from envwright.translate.run import Reporter
from envwright.translate.space import require_space
from envwright.translate.stored_runs import StoredRun, as_damage, require_current
from envwright.translate.workspace import Snapshot, Workspace, applied

FOLDER = "optimise"  # below that of the run
ROUNDS = 5
TIRED = 2  # rounds in a row without gain, after which a call asks no more
Outcome = Literal["done", "agent", "budget"]


@dataclass
class Optimisation:
    """The optimisation rounds after a run. Resumes where it stopped."""

    run: StoredRun
    agent: Agent
    confined: bool = True
    rounds: int = ROUNDS
    batches: tuple[int, ...] = BATCHES
    repeats: int = REPEATS
    reporter: Reporter = Reporter()
    tired: int = TIRED
    outcome: Outcome = "done"  # how the last call of `go` ended, and why
    reason: str = ""

    def __post_init__(self) -> None:
        at = self.run.position
        if at.ended != "verified":
            raise EnvwrightError(
                f"run {self.run.id} is not verified; finish it with translate --resume first"
            )
        require_current(self.run.id, self.run.journal, self.run.spec)
        self.spec = self.run.spec
        self.spec.make_reachable()
        self.folder = self.run.folder / FOLDER
        self.folder.mkdir(exist_ok=True)
        self.journal = Journal(self.folder / "journal.jsonl")
        self.store = Store(self.run.folder / "objects")
        self.verified: Snapshot = at.files
        self.regressions = [self.store.get(name) for name in at.regressions]
        with as_damage(self.run.folder):
            # Decisions use the seed of the run; runs from before seeds were stored have none.
            self.secret: int = self.run.journal.of("begun")[0].data.get("seed", 0)
            known = self.run.journal.of("begun", "resumed")[-1]["spec"]
        self.recordings = record(self.spec, self.run.folder / "golden" / known, self.secret + 1)

    # --- where it stands -------------------------------------------------------------------------

    @property
    def past(self) -> History:
        """The journal's contents."""
        return History(self.journal, self.verified)

    @property
    def history(self) -> list[results.Round]:
        """The candidates that were tried, and their results."""
        return self.past.changes

    @property
    def gain(self) -> float:
        """Speed-up over the start."""
        return self.past.gain

    @property
    def usage(self) -> Usage:
        """Cost so far, including attempts that were killed."""
        pending = self.past.pending
        killed = spent(self._turn(pending["turn"])) if pending else Usage()
        return self.past.usage + killed

    @property
    def seconds(self) -> float:
        """Time that the agent worked and that its changes were judged and raced."""
        return self.past.seconds

    def record(self) -> results.Optimisation:
        """Return the result that `envwright optimise --json` stores."""
        return results.Optimisation(
            env=self.spec.id,
            outcome=self.outcome,
            reason=self.reason,
            gain=self.gain,
            usage=self.usage.to_json(),
            rounds=self.history,
        )

    # --- rounds ----------------------------------------------------------------------------------

    def go(self) -> list[results.Round]:
        """Run the rounds and return the history. `outcome` reports how they ended."""
        with alone(self.folder):
            self.journal = Journal(self.journal.path)  # read it again under the lock
            self._begin()
            earlier = len(self.history)
            self.outcome, self.reason = "done", ""
            try:
                while self.outcome == "done" and self._goes_on(earlier):
                    self._next()
            except AgentFailed as error:
                self._end("agent", str(error))
            if not (self.past.pending and self.agent.patient):
                self._workspace("workspace", self.past.files)
            return self.history

    def _begin(self) -> None:
        about = {"envwright": VERSION, "machine": describe_machine()}
        about["jail"] = described(self.confined)
        self.journal.append("begun", agent=self.agent.describe(), **about)

    def _goes_on(self, earlier: int) -> bool:
        if self.past.unjudged:
            return True
        last = self.history[earlier:][-self.tired :]  # every call may try again
        tired = len(last) == self.tired and not any(change.kept for change in last)
        return len(self.history) < self.rounds and not tired

    def _next(self) -> None:
        """Ask the agent, or judge its last answer."""
        meter, waiting = self._meter(), self.past.unjudged
        over = meter.overtime if waiting else meter.exhausted
        if over:
            self._end("budget", f"the budget is reached: {over}")
            return
        answered = waiting or self._ask(meter)
        if refused(answered):
            outcome = "budget" if answered["status"] == "budget" else "agent"
            self._end(outcome, answered["reason"] or answered["status"])
            return
        began = time.monotonic()
        try:
            self._judge(answered)
        except OutOfTime:
            over = f"{self.spec.budget.minutes:g} minutes are over; a judgement was cut off"
            judging = round(time.monotonic() - began, 3)
            self._end("budget", f"the budget is reached: {over}", judging=judging)
            return
        if answered["status"] == "budget":
            self._end("budget", answered["reason"] or "the budget is reached")

    def _meter(self) -> Meter:
        turns = len(self.journal.of("answered"))
        at = Position(usage=self.usage, turns=turns, seconds=self.seconds)
        return Meter(self.spec.budget, at)

    def _end(self, outcome: Outcome, reason: str, **more: float) -> None:
        self.outcome, self.reason = outcome, reason
        self.journal.append("ended", outcome=outcome, reason=reason, **more)
        self.reporter.say(reason)

    def _ask(self, meter: Meter) -> Event:
        """Ask the agent. A question without an answer is asked again unchanged."""
        require_space(self.folder)
        files, pending = self.past.files, self.past.pending
        kept = pending is not None and self.agent.patient  # its work so far is kept
        number = len(self.history) + 1
        if pending is None:
            self.reporter.say(f"round {number}: measuring")
            old = self._twin(self._workspace("incumbent", files).root, "incumbent")
            prompt, turn = self._prompt(old), self.past.turns + 1
        else:
            prompt, turn = self.store.get(pending["prompt"]).decode(), pending["turn"]
        workspace = self._workspace("workspace", None if kept else files)
        guarded = guarded_files(self.spec, self.recordings, self.regressions, prompt)
        workspace.guard(guarded)
        folder = self._turn(turn)
        folder.mkdir(parents=True, exist_ok=True)
        if pending is None:
            name = self.store.put(prompt.encode())
            self.journal.append("asked", number=number, turn=turn, prompt=name)
        self.reporter.say(f"round {number}: asking")
        earlier = spent(folder)  # by an attempt that was killed
        answer = self.agent.ask(
            Task(
                turn,
                TaskKind.OPTIMISE,
                "optimise",
                prompt,
                workspace.root,
                folder,
                meter.allowance(self.agent.patient),
            )
        )
        changed, meddled, unusable = workspace.collect(files, guarded)
        answer = answer.failed(unusable) if unusable else answer
        return self.journal.append(
            "answered",
            number=number,
            turn=turn,
            status=answer.status,
            reason=answer.reason,
            said=(answer.text.strip().splitlines() or [""])[-1][:300],
            usage=(answer.usage + earlier).to_json(),
            seconds=round(answer.seconds, 3),
            files=changed,
            meddled=meddled,
        )

    def _judge(self, answered: Event) -> None:
        """Verify and race the answer."""
        began = time.monotonic()
        files, changed = self.past.files, answered["files"]
        old = self._twin(self._workspace("incumbent", files).root, "incumbent")
        workspace = self._workspace("workspace", applied(files, changed))
        trial = self._tried(old, workspace, changed)
        why = trial.why
        if answered["status"] != "ok" and not changed:
            why = answered["reason"] or answered["status"]
        copied = ("number", "turn", "status", "said", "usage", "seconds", "files", "meddled")
        event = self.journal.append(
            "round",
            **{name: answered[name] for name in copied},
            judging=round(time.monotonic() - began, 3),
            kept=trial.kept,
            why=why,
            race=None if trial.race is None else trial.race.to_json(),
            verdicts=[v.to_json() for v in trial.verdicts],
        )
        self.reporter.say(str(round_of(event)))

    def _tried(self, old: Twin, workspace: Workspace, changed: dict[str, Any]) -> Trial:
        if not any(path.startswith("src/") for path in changed):
            return Trial(False, "nothing was changed")
        court = Court(
            self.spec,
            self.recordings,
            self.regressions,
            self.secret,
            self.batches,
            self.repeats,
            self.reporter.progress,
        )
        new = self._twin(workspace.root, "candidate")
        return court.tried(old, new, self._meter().deadline())

    def _prompt(self, old: Twin) -> str:
        with old.simulator(self.spec.everyday_check) as simulator:
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
        """Return a folder with exactly these files, or with its current ones if `files` is None."""
        root = self.folder / name
        workspace = Workspace(root, self.store, self.spec.target.package)
        if files is not None:
            tree.fresh(root)
            workspace.restore(files)
        workspace.make_agent_folders()
        return workspace

    def _turn(self, turn: int) -> Path:
        return self.folder / "turns" / f"{turn:03d}"

    def _twin(self, root: Path, name: str) -> Twin:
        return twin_for(self.spec, root, self.folder / "scratch" / name, self.confined, raced=True)
