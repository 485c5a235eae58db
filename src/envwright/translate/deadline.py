"""When work has to stop: a cap on minutes holds for a judgement that is under way, too."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from envwright.verify.results import Progress


class OutOfTime(BaseException):
    """The time is over.

    It is no `Exception`: whoever catches what the judged code may raise must not take it for that.
    """


@dataclass(frozen=True)
class Deadline:
    """A moment after which nothing more is begun; without one, there is time for ever."""

    moment: float = math.inf  # of the monotonic clock

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """So many seconds from now."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds, 0 if it has passed."""
        return max(0.0, self.moment - time.monotonic())

    def check(self) -> None:
        """To be called before anything that takes time."""
        if not self.left:
            raise OutOfTime

    def watched(self, progress: Progress) -> Progress:
        """Progress that stops the work where something is left of it, and the time is over."""

        def told(what: str, done: int, total: int) -> None:
            progress(what, done, total)
            if done < total:
                self.check()

        return told
