"""Deliver Ctrl-C reliably."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.05  # seconds


@contextmanager
def interrupts() -> Iterator[None]:
    """Raise Ctrl-C where it is not swallowed, within the block; for the main thread only."""

    def heard(signum: int, frame: FrameType | None) -> None:
        if _is_deaf(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        raise KeyboardInterrupt

    before = {s: signal.signal(s, heard) for s in (signal.SIGINT, signal.SIGALRM)}
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_deaf(frame: FrameType | None) -> bool:
    """Return whether an exception raised here would only be printed.

    This is so in a finaliser and in a callback of the garbage collector. JAX and hypothesis have
    such callbacks, so that a Ctrl-C which arrives during a collection is raised there.
    """
    deaf = {"__del__", *(getattr(callback, "__name__", "") for callback in gc.callbacks)}
    while frame is not None:
        if frame.f_code.co_name in deaf:
            return True
        frame = frame.f_back
    return False
