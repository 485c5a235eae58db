"""Repeat slow measurements in slices of time, so that nothing else waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

SHARE = 20  # repeat a measurement after this many times its duration ...
LONGEST = 1.0  # ... or after this many seconds


class Slices:
    """A measurement whose steps are those of a generator."""

    def __init__(self, begin: Callable[[], Iterator[None]], share: int = SHARE) -> None:
        self._begin, self._share = begin, share
        self._steps: Iterator[None] | None = None
        self._spent = 0.0  # seconds on the current measurement
        self._next = 0.0

    def proceed(self, seconds: float = float("inf")) -> bool:
        """Continue for `seconds`, or rest; return whether a measurement is complete."""
        began = time.monotonic()
        if self._steps is None:
            if began < self._next:
                return False
            self._steps, self._spent = self._begin(), 0.0
        for _ in self._steps:
            spent = time.monotonic() - began
            if spent > seconds:
                self._spent += spent
                return False
        ended = time.monotonic()
        self._spent += ended - began
        self._next = ended + min(self._share * self._spent, LONGEST)
        self._steps = None
        return True
