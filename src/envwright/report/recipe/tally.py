"""Count how often each module and level was requested, repaired and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from envwright.agents.base import Usage
from envwright.report.recipe.history import History, Judgement, Turn
from envwright.report.verdicts import NAMES


@dataclass
class Row:
    """A module of phase 1, or a later level."""

    name: str
    what: str
    asked: int = 0  # turns that wrote something new
    repairs: int = 0
    judgements: int = 0
    failures: Counter[int] = field(default_factory=Counter)  # level -> judgements it failed
    usage: Usage = Usage()
    seconds: float = 0.0

    def add(self, turn: Turn) -> None:
        """Count a turn."""
        if turn.purpose == "repair":
            self.repairs += 1
        else:
            self.asked += 1
        self.usage += turn.usage
        self.seconds += turn.seconds

    def judge(self, judgement: Judgement) -> None:
        """Count a judgement."""
        self.judgements += 1
        self.seconds += judgement.seconds
        if judgement.failing is not None and judgement.failing.failures:
            self.failures[judgement.failing.level] += 1


@dataclass(frozen=True)
class Tally:
    """The rows with their total."""

    rows: list[Row]
    levels: list[int]

    @property
    def total(self) -> Row:
        """The sum of all rows."""
        whole = Row("all", "")
        for row in self.rows:
            whole.asked += row.asked
            whole.repairs += row.repairs
            whole.judgements += row.judgements
            whole.failures += row.failures
            whole.usage += row.usage
            whole.seconds += row.seconds
        return whole


def tally(history: History, modules: Sequence[str], levels: Sequence[int]) -> Tally:
    """Count the turns of a run; a repair belongs to the level judged before it."""
    by_module = [Row(name, "module") for name in modules]
    by_level = {n: Row(f"L{n}", NAMES.get(n, "")) for n in levels if n > 1}

    def row(phase: int, module: int) -> Row:
        if phase == 1 and module < len(by_module):
            return by_module[module]
        return by_level.setdefault(phase, Row(f"L{phase}", NAMES.get(phase, "")))

    where, module = (1, 0), 0
    for entry in history.edits:
        if isinstance(entry, Turn):
            if entry.purpose == "translate":
                name = entry.task.partition(" ")[2]
                module = modules.index(name) if name in modules else module
                where = (1, module)
            elif entry.purpose == "interactions":
                where = (2, len(by_module))
            row(*where).add(entry)
        for judgement in entry.judgements:
            where = (judgement.phase, judgement.module)
            row(*where).judge(judgement)
    rows = [*by_module, *(r for _, r in sorted(by_level.items()))]
    return Tally(rows, sorted(levels))
