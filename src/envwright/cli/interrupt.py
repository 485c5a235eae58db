"""Ctrl-C that is not lost."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Exceptions in these are printed and forgotten. JAX's runs at the end of every collection,
# so that a Ctrl-C which arrives during one is raised just there.
DEAF = ("_xla_gc_callback", "__del__")
AGAIN = 0.05  # seconds


@contextmanager
def interrupts() -> Iterator[None]:
    """While open, Ctrl-C is raised where somebody can hear it. For the main thread only."""

    def heard(signum: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_name in DEAF:
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
