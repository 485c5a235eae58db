"""The C library's `rand()`, which draws PufferLib's serves: one stream for the whole process."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

STATE_SIZE = 128  # bytes; what the C library itself uses, so that the numbers are the same


@cache
def libc() -> Any:
    """Return the C library of this process."""
    library = ctypes.CDLL(None)
    library.setstate.restype = library.initstate.restype = ctypes.c_void_p
    library.setstate.argtypes = [ctypes.c_void_p]
    library.initstate.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t]
    return library


@cache
def seed_for(bit: int) -> int:
    """Return a seed whose first `rand() % 2` is this bit."""
    found = 1
    while first_bits(found, 1) != bit:
        found += 1
    return found


def first_bits(seed: int, count: int) -> int:
    """Return `rand() % 2` of the next draws after `srand(seed)`, the first one lowest."""
    libc().srand(seed)
    return next_bits(count)


def next_bits(count: int) -> int:
    """Return `rand() % 2` of the next draws, the first one lowest."""
    rand = libc().rand
    return sum((rand() & 1) << place for place in range(count))


class Stream:
    """A private stream of `rand()`: inside `with`, no other code draws from it.

    The numbers after an `srand` inside are those that the process-wide stream would give.
    """

    def __init__(self) -> None:
        self._memory = ctypes.create_string_buffer(STATE_SIZE)
        before = libc().initstate(1, self._memory, STATE_SIZE)
        libc().setstate(before)

    def __enter__(self) -> Stream:
        self._before = libc().setstate(self._memory)
        return self

    def __exit__(self, *_: Any) -> None:
        libc().setstate(self._before)

    def snapshot(self) -> bytes:
        """Return the position of the stream; call it outside of `with`."""
        return self._memory.raw

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot."""
        self._memory.raw = snapshot
