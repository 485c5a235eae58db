"""The journal of an optimisation, and where it stands.

It has `asked` before the agent is asked, `answered` after it, and `round` after the change is
judged and raced, so that resuming repeats nothing.
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
class History:
    """The contents of a journal."""

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
    def changes(self) -> list[Round]:
        """The candidates that were tried, and their results."""
        return [round_of(event) for event in self.journal.of("round")]

    @property
    def gain(self) -> float:
        """Speed-up over the start."""
        return math.prod(c.gain for c in self.changes if c.kept and c.gain)

    @property
    def usage(self) -> Usage:
        """Cost of all answers."""
        return sum((Usage(**event["usage"]) for event in self._answers), Usage())

    @property
    def seconds(self) -> float:
        """Time that the agent worked and that its changes were judged and raced."""
        worked = sum(event["seconds"] for event in self._answers)
        judged = self.journal.of("round", "ended")  # the latter, if the time was over
        return worked + sum(event.data.get("judging", 0.0) for event in judged)

    @property
    def turns(self) -> int:
        """Number of questions so far, including those whose answer was refused."""
        asked = [event["turn"] for event in self.journal.of("asked")]
        return max([*asked, *(event["number"] for event in self.journal.of("round"))], default=0)

    @property
    def pending(self) -> Event | None:
        """The question without an answer, or None."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        return last[0] if last and last[0].kind == "asked" else None

    @property
    def unjudged(self) -> Event | None:
        """The answer whose change is not judged yet, or None."""
        last = self.journal.of("asked", "answered", "round")[-1:]
        waits = last and last[0].kind == "answered" and not refused(last[0])
        return last[0] if waits else None

    @property
    def _answers(self) -> list[Event]:
        """All answers. Old journals store them in their rounds."""
        answers = self.journal.of("answered")
        known = {event["number"] for event in answers}
        return answers + [e for e in self.journal.of("round") if e["number"] not in known]


def refused(answered: Event) -> bool:
    """Return whether the agent cannot continue and changed nothing."""
    return answered["status"] in ("auth", "crash", "budget") and not answered["files"]


def round_of(event: Event) -> Round:
    """Return a round of the journal."""
    return msgspec.convert({**event.data, "round": event["number"]}, Round, str_keys=True)
