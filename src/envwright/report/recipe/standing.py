"""The tests of the harness that are green, judgement by judgement."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.agents.base import Usage
from envwright.report.recipe.history import Edit, History, Judgement, Turn, tone_of
from envwright.translate.verdict import Failure, Verdict

Test = tuple[int, str]  # level and name


@dataclass(frozen=True)
class Point:
    """A judgement: the costs until then, and the tests that were green."""

    label: str  # the change before it
    turns: int
    usage: Usage
    seconds: float
    green: dict[int, int]  # level -> tests that this code passed
    failing: Verdict | None
    tone: str  # the colour's name

    @property
    def total(self) -> int:
        """The number of green tests of all levels."""
        return sum(self.green.values())


@dataclass(frozen=True)
class LevelStanding:
    """The last result of a level."""

    verdict: Verdict
    label: str  # the change that was judged
    stale: bool  # the code has been changed since

    @property
    def tone(self) -> str:
        """The colour's name."""
        if self.stale:
            return "unsure"
        return tone_of(self.verdict)

    @property
    def said(self) -> str:
        """The verdict in a word or two."""
        if self.stale:
            return "of earlier code"
        failed = len(self.verdict.failures)
        return "green" if self.verdict.green else f"{failed} failed" if failed else "inconclusive"

    @property
    def tests(self) -> list[tuple[str, Failure | None]]:
        """Every test, failed ones first."""
        failed: list[tuple[str, Failure | None]] = [(f.test, f) for f in self.verdict.failures]
        return failed + [(name, None) for name in self.verdict.passed]


@dataclass(frozen=True)
class Standing:
    """The course of all judgements, and its end."""

    points: list[Point]
    levels: dict[int, LevelStanding]
    known: int  # distinct tests that were ever run
    green: int  # green tests of the current code

    @property
    def highest(self) -> list[int]:
        """All levels that were judged, in order."""
        return sorted(self.levels)


def standing(history: History) -> Standing:
    """Collect the judgements of a run.

    A test counts while the code that passed it is unchanged: after a change it must pass again.
    """
    points: list[Point] = []
    levels: dict[int, LevelStanding] = {}
    green: set[Test] = set()
    known: set[Test] = set()
    turns, usage, seconds = 0, Usage(), 0.0
    for entry in history.edits:
        if isinstance(entry, Turn):
            turns, usage, seconds = entry.number, usage + entry.usage, seconds + entry.seconds
        if rewrites(entry):
            green.clear()
            levels = {n: LevelStanding(s.verdict, s.label, True) for n, s in levels.items()}
        for judgement in entry.judgements:
            seconds += judgement.seconds
            for verdict in judgement.verdicts:
                known |= _tests(verdict)
                green = {t for t in green if t[0] != verdict.level}
                green |= {(verdict.level, name) for name in verdict.passed}
                levels[verdict.level] = LevelStanding(verdict, entry.label, False)
            points.append(_point(entry.label, turns, usage, seconds, green, judgement))
    return Standing(points, dict(sorted(levels.items())), len(known), len(green))


def rewrites(entry: Turn | Edit) -> bool:
    """Return whether the code itself was changed, not only the agent's own tests."""
    return any(path.startswith("src/") for path in entry.files)


def _tests(verdict: Verdict) -> set[Test]:
    names = [*verdict.passed, *(f.test for f in verdict.failures)]
    return {(verdict.level, name) for name in names}


def _point(
    label: str, turns: int, usage: Usage, seconds: float, green: set[Test], judgement: Judgement
) -> Point:
    counts: dict[int, int] = {}
    for level, _ in green:
        counts[level] = counts.get(level, 0) + 1
    return Point(label, turns, usage, seconds, counts, judgement.failing, judgement.tone)
