"""The journal of an optimisation: what was asked, answered, judged, and where that leaves it.

It has `asked` before the agent is asked, `answered` after it, and `round` when its change is
judged and raced: whatever was done when it was stopped is not done again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec

from envwright.agents.base import Usage
from envwright.schema.results import Round
from envwright.translate.journal import Event, Journal
from envwright.translate.workspace import Snapshot, applied


@dataclass(frozen=True)
class Change:
    """One round of the history."""

    round: int
    said: str
    kept: bool
    why: str
    gain: float | None = None
    low: float | None = None
    unchecked: str = ""  # what of the timed runs could not be checked, and why

    @property
    def verdict(self) -> str:
        """Why it was kept or not, and what of that is not known."""
        return f"{self.why}; not checked: {self.unchecked}" if self.unchecked else self.why

    def __str__(self) -> str:
        measured = "" if self.gain is None else f" ({self.gain:.3f} ×, above {self.low:.3f})"
        return f"round {self.round}: {self.said or 'no word'}: {self.verdict}{measured}"


@dataclass(frozen=True)
class History:
    """What a journal tells."""

    journal: Journal
    verified: Snapshot  # the code before the first round

    @property
    def files(self) -> Snapshot:
        """The fastest version so far."""
        files = self.verified
        for event in self.journal.of("round"):
            files = applied(files, event["files"]) if event["kept"] else files
        return files

    @property
    def changes(self) -> list[Change]:
        """What was tried, and what it brought."""
        return [change_of(event) for event in self.journal.of("round")]

    @property
    def gain(self) -> float:
        """How many times faster than at the start."""
        return math.prod(c.gain for c in self.changes if c.kept and c.gain)

    @property
    def usage(self) -> Usage:
        """What all answers cost."""
        return sum((Usage(**event["usage"]) for event in self._answers), Usage())

    @property
    def seconds(self) -> float:
        """How long the agent worked, and how long he was judged and raced."""
        worked = sum(event["seconds"] for event in self._answers)
        judged = self.journal.of("round", "ended")  # the latter, if the time was over
        return worked + sum(event.data.get("judging", 0.0) for event in judged)

    @property
    def turns(self) -> int:
        """Questions so far; one whose answer was refused has its number for itself."""
        asked = [event["turn"] for event in self.journal.of("asked")]
        return max([*asked, *(event["number"] for event in self.journal.of("round"))], default=0)

    @property
    def pending(self) -> Event | None:
        """A question that has no answer yet."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        return last[0] if last and last[0].kind == "asked" else None

    @property
    def unjudged(self) -> Event | None:
        """An answer whose change was not judged yet."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        waits = last and last[0].kind == "answered" and not refused(last[0])
        return last[0] if waits else None

    @property
    def _answers(self) -> list[Event]:
        """All answers; of rounds that were written before answers were, the rounds."""
        answers = self.journal.of("answered")
        known = {event["number"] for event in answers}
        return answers + [e for e in self.journal.of("round") if e["number"] not in known]


def refused(answered: Event) -> bool:
    """Whether the agent cannot go on, and did nothing: no round, and no use in asking again."""
    return answered["status"] in ("auth", "crash", "budget") and not answered["files"]


def round_of(event: Event) -> Round:
    """Return a round of the journal as a result stores it."""
    return msgspec.convert({**event.data, "round": event["number"]}, Round, str_keys=True)


def change_of(event: Event) -> Change:
    """A round as it is told."""
    race = event["race"] or {}
    return Change(
        event["number"],
        event["said"],
        event["kept"],
        event["why"],
        race.get("gain"),
        race.get("low"),
        race.get("unchecked", ""),
    )
