"""The loop of a run: make the next move until there is none."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict

from envwright.agents.base import AgentFailed
from envwright.bench.machine import describe_machine
from envwright.core.files import alone, write_text
from envwright.core.package import VERSION
from envwright.errors import Exit
from envwright.sandbox import described
from envwright.translate import prompts
from envwright.translate.budget import Meter
from envwright.translate.deadline import OutOfTime
from envwright.translate.estimate import estimate
from envwright.translate.goldens import record, require_usable
from envwright.translate.journal import FORMAT, Journal
from envwright.translate.plan import Finish, JudgeLevels, JudgeModules, Move, Position, next_move
from envwright.translate.run.context import RunContext
from envwright.translate.run.judgement import Judgements
from envwright.translate.run.turns import Turns
from envwright.translate.sources import excerpts
from envwright.translate.stored_runs import as_damage, require_current
from envwright.translate.users_tests import fingerprint, require_tests
from envwright.translate.workspace import difference

WAITING = ("human", "budget", "agent", "inconclusive", "verified")
EXITS = {
    "verified": Exit.EQUAL,
    "inconclusive": Exit.INCONCLUSIVE,
    "budget": Exit.BUDGET,
    "human": Exit.HUMAN_NEEDED,
    "agent": Exit.AGENT_FAILED,
    "interrupted": Exit.INTERRUPTED,
}


@dataclass
class Run(RunContext):
    """A translation that runs, or resumes, from its journal."""

    def go(self) -> Finish:
        """Make moves until the run ends. The journal records how it ended."""
        with alone(self.folder):
            # Another process may have written to it since it was opened.
            self.journal = Journal(self.journal.path, self.clock)
            if self.journal.events:
                with as_damage(self.folder):  # before any work
                    _ = self.known, self.secret, next_move(self.position, self.spec, self.levels)
            return self._go()

    def _go(self) -> Finish:
        self._begin()
        self.spec.make_reachable()
        if self.spec.reference.simulator:
            self.reporter.say("recording the reference")
            require_usable(self.spec)
        if self.spec.tests is not None and self.position.ended != "verified":
            self.reporter.say(require_tests(self.spec))
        if 1 in self.levels:  # otherwise golden pairs have no use
            place = self.folder / "golden" / self.known["spec"]
            self.recordings = record(self.spec, place, self.secret + 1)
        if not self.journal.of("asked"):
            self._say_estimate()
        judgements, began = Judgements(self), time.monotonic()
        try:
            while True:
                move, began = self._next(), time.monotonic()
                if isinstance(move, Finish):
                    return self._finish(move)
                if isinstance(move, JudgeModules | JudgeLevels):
                    deadline = Meter(self.spec.budget, self.position).deadline()
                    judgements.judge(move, deadline)
                else:
                    Turns(self).ask(move)
        except OutOfTime:
            return self._cut_off(time.monotonic() - began)
        except AgentFailed as error:
            return self._finish(Finish("agent", str(error)))
        except KeyboardInterrupt:
            self.journal.append("ended", outcome="interrupted", reason="interrupted by a person")
            raise
        finally:
            judgements.close()

    # --- the loop ------------------------------------------------------------------------------

    def _begin(self) -> None:
        at = self.position
        known = {"spec": self.store.put(self._specification()), "levels": list(self.levels)}
        about = {"agent": self.agent.describe(), "budget": asdict(self.spec.budget)}
        about["jail"] = described(self.confined)
        about["tests"] = str(self.spec.tests or "")
        if not self.journal.events:
            told = {"envwright": VERSION, "machine": describe_machine()}
            names = {"id": self.spec.id, "reference": self.spec.reference.simulator}
            seed = secrets.randbelow(2**31) if self.seed is None else self.seed
            names |= self._carried()
            self.journal.append(
                "begun", format=FORMAT, seed=seed, **names, **known, **about, **told
            )
            return
        require_current(self.folder.name, self.journal, self.spec)
        changed = self.known != known
        if at.ended != "verified" or changed:
            edits = self._edits_of_a_person(at)
            if edits:
                self.journal.append("edited", files=edits)
            self.journal.append("resumed", changed=changed, **known, **about)

    def _carried(self) -> dict[str, Any]:
        """Store the code that the run begins with."""
        if self.base is None:
            return {}
        files = {path: self.store.put(data) for path, data in self.base.files.items()}
        return {"base": self.base.run, "files": files, "carried": list(self.base.carried)}

    def _specification(self) -> bytes:
        """Return the file and the modules' current source. A change restarts the judging."""
        self.spec.make_reachable()
        texts = [
            str(e) + e.text for module in self.spec.modules for e in excerpts(self.spec, module)
        ]
        texts += [] if self.spec.tests is None else [fingerprint(self.spec.tests)]
        return self.spec.path.read_bytes() + "\n".join(texts).encode()

    def _say_estimate(self) -> None:
        """Report the expected cost if the agent costs money."""
        price = getattr(self.agent, "price", None)
        if price is None:
            return
        expected = estimate(self.spec, self.recordings)
        dollars = [price(usage) for usage in expected.usage]
        money = "" if None in dollars else f", ${dollars[0]:.2f} to ${dollars[1]:.2f}"
        self.reporter.say(f"{expected}{money}")

    def _edits_of_a_person(self, at: Position) -> dict[str, str | None]:
        """Return what a person changed in the code while the run waited."""
        if at.ended not in WAITING:
            return {}
        return difference(at.files, self.workspace.snapshot())

    def _next(self) -> Move:
        at = self.position
        if at.ended == "verified":
            return Finish("verified", "it was already finished")
        move = next_move(at, self.spec, self.levels)
        if isinstance(move, Finish):
            return move
        meter = Meter(self.spec.budget, at)
        judging = isinstance(move, JudgeModules | JudgeLevels)
        reason = meter.overtime if judging else meter.exhausted
        return Finish("budget", reason) if reason else move

    # --- the end ------------------------------------------------------------------------------

    def _cut_off(self, seconds: float) -> Finish:
        """End in the middle of a judgement, keeping only how long it took."""
        minutes = f"{self.spec.budget.minutes:g} minutes are over"
        finish = Finish("budget", f"{minutes}; the judgement under way was interrupted")
        return self._finish(finish, judging=round(seconds, 3))

    def _finish(self, finish: Finish, **more: float) -> Finish:
        at = self.position
        self.workspace.restore(at.files)
        if finish.outcome == "human":
            write_text(self.folder / "human.md", self._page(finish, at))
        if at.ended != finish.outcome:
            self.journal.append("ended", outcome=finish.outcome, reason=finish.reason, **more)
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
