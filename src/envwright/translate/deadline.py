"""Deadlines. A cap on minutes also interrupts a judgement that is under way."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from envwright.core.progress import Progress


class OutOfTime(BaseException):
    """The time is over.

    This is not an `Exception`, so that code which catches what the judged code raises lets it pass.
    """


@dataclass(frozen=True)
class Deadline:
    """A moment after which no more work begins. By default there is no limit."""

    moment: float = math.inf  # on the monotonic clock

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Return the deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds left, 0 if it has passed."""
        return max(0.0, self.moment - time.monotonic())

    def check(self) -> None:
        """Raise if the deadline has passed. Call this before anything that takes time."""
        if not self.left:
            raise OutOfTime

    def watched(self, progress: Progress) -> Progress:
        """Wrap a progress callback so that it stops unfinished work after the deadline."""

        def told(what: str, done: int, total: int) -> None:
            progress(what, done, total)
            if done < total:
                self.check()

        return told
