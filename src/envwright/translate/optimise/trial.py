"""Try a candidate: is it still equal, and is it faster?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envwright.core.progress import Progress
from envwright.translate.deadline import Deadline
from envwright.translate.goldens import Recording
from envwright.translate.jailed import Twin
from envwright.translate.judge import Judge
from envwright.translate.race import Contest, contest
from envwright.translate.spec import TranslationSpec
from envwright.translate.verdict import Verdict

LEVELS = (1, 2, 3)


@dataclass(frozen=True)
class Trial:
    """Whether a candidate is kept, why, and what was measured."""

    kept: bool
    why: str
    race: Contest | None = None
    verdicts: Sequence[Verdict] = ()


@dataclass(frozen=True)
class Court:
    """How to try the candidates of a run."""

    spec: TranslationSpec
    recordings: Sequence[Recording]
    regressions: Sequence[bytes]
    seed: int  # for the samples; unknown to the code's author
    batches: tuple[int, ...]
    repeats: int
    progress: Progress

    def tried(self, incumbent: Twin, candidate: Twin, deadline: Deadline) -> Trial:
        """Verify the candidate, then race it. Raises `OutOfTime` past the deadline."""
        verdicts = self._verified(candidate, deadline)
        if not verdicts[-1].green:
            return Trial(False, _shortfall(verdicts[-1]), None, verdicts)
        deadline.check()
        race = self._raced(incumbent, candidate, deadline)
        if race.faster:
            # In new processes, so that luck, or a lucky place in memory, does not repeat.
            again = self._raced(incumbent, candidate, deadline)
            if not again.faster:
                return Trial(False, f"once more: {_summary(again)}", again, verdicts)
            race = min(race, again, key=lambda each: each.gain)
        return Trial(race.faster, _summary(race), race, verdicts)

    def _raced(self, incumbent: Twin, candidate: Twin, deadline: Deadline) -> Contest:
        return contest(
            self.spec,
            incumbent,
            candidate,
            batches=self.batches,
            repeats=self.repeats,
            progress=deadline.watched(self.progress),
        )

    def _verified(self, candidate: Twin, deadline: Deadline) -> list[Verdict]:
        """Verify the levels in order, up to the first that is not green."""
        verdicts: list[Verdict] = []
        judged = (self.spec, candidate, self.recordings, self.regressions, self.progress)
        with Judge(*judged, self.seed) as judge:
            judge.deadline = deadline
            for level in LEVELS:
                whole = len(self.spec.modules)
                verdicts.append(judge.modules(whole) if level == 1 else judge.level(level, False))
                if not verdicts[-1].green:
                    break
        return verdicts


def _summary(race: Contest) -> str:
    """Summarise a race."""
    if race.wrong:
        return f"the timed run computed something else: {race.wrong}"
    if race.incredible:
        return "too good to be true, and not to be checked"
    if not race.faster:
        return "it is not faster beyond the noise"
    return "faster (implausible, but its runs are right)" if race.implausible else "faster"


def _shortfall(verdict: Verdict) -> str:
    if not verdict.failures:
        return f"level {verdict.level} is inconclusive: {verdict.undecided}"
    first = verdict.failures[0]
    return f"level {verdict.level} fails: {first.test}: {first.summary}"
