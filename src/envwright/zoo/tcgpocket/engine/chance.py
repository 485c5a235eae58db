"""Chance [C1-C2]: words of a game's own generator, drawn by the lanes that need one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envwright.zoo.tcgpocket.contract.state import CARDS
from envwright.zoo.tcgpocket.engine.kit import Kit, whole
from envwright.zoo.tcgpocket.engine.state import State

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)
_PLACES = np.arange(CARDS, dtype=np.uint32)[:, None]
LOG = 512  # draws of one step that a log holds


class Log(NamedTuple):
    """Draws by lane in their order."""

    purpose: Any  # int32[LOG, B]
    bound: Any  # int32[LOG, B]
    result: Any  # uint32[LOG, B]
    used: Any  # int32[B]


def empty_log(xp: Any, lanes: int) -> Log:
    """Return a log without entries."""
    rows = (LOG, lanes)
    return Log(
        xp.zeros(rows, np.int32), xp.zeros(rows, np.int32), xp.zeros(rows, np.uint32),
        xp.zeros(lanes, np.int32),
    )  # fmt: skip


def threefry(a: Any, b: Any, counter: Any) -> Any:
    """Return the first output word for a key (a, b) and counter words (counter, 0)."""
    keys = (a, b, _PARITY ^ a ^ b)
    x, y = counter + a, b
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            x = x + y
            y = ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn))) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x


def below_of(word: Any, n: Any) -> Any:
    """Scale a word to a number below n < 65536."""
    n = n.astype(np.uint32) if hasattr(n, "astype") else np.uint32(n)
    high, low = word >> np.uint32(16), word & np.uint32(0xFFFF)
    return (high * n + ((low * n) >> np.uint32(16))) >> np.uint32(16)


def from_tape(k: Kit, tape: Any, place: Any) -> Any:
    """Return the results of a tape [T, B] at some places [B]; the last ones beyond it."""
    place = k.xp.minimum(place.astype(np.int32), tape.shape[0] - 1)
    return k.xp.take_along_axis(tape, place[None], axis=0)[0]


def write(k: Kit, when: Any, purpose: Any, bound: Any, result: Any) -> None:
    """Log a draw of some lanes."""
    if k.log is None:
        return
    log, lanes = k.log, np.arange(when.shape[-1])
    row = k.xp.where(when, log.used, LOG)
    if k.compiled:
        put = lambda array, value: array.at[row, lanes].set(value, mode="drop")  # noqa: E731
    else:

        def put(array: Any, value: Any) -> Any:
            array, keep = array.copy(), row < LOG
            array[row[keep], lanes[keep]] = np.broadcast_to(value, row.shape)[keep]
            return array

    k.log = Log(
        put(log.purpose, purpose), put(log.bound, bound), put(log.result, result),
        log.used + whole(when),
    )  # fmt: skip


def below(k: Kit, s: State, when: Any, purpose: Any, n: Any) -> Any:
    """Draw below n[B] for some lanes, int32[B]; 0 for the others, and for n = 1."""
    drawn = when & (n > 1)
    if k.tape is None:
        result = below_of(threefry(s.key[0], s.key[1], s.counter), n)
    else:
        result = from_tape(k, k.tape, s.counter - k.tape_start)
    result = k.xp.where(drawn, result, np.uint32(0))
    write(k, drawn, purpose, n, result)
    s.counter = s.counter + drawn.astype(np.uint32)
    return result.astype(np.int32)


def repeated(k: Kit, s: State, left: Any, until: Any, purpose: Any, n: Any, worth: Any) -> Any:
    """Sum draws below n[B], int32[B]: as many as `left`, or until one is 0 (20 at most).

    `worth` (bool[B]) sums 256 to the power of each draw instead, to count each result in a byte.
    """
    xp = k.xp

    def goes_on(carry: Any) -> Any:
        return (carry[0] > 0).any()

    def body(carry: Any) -> Any:
        left, summed, counter, log = carry
        outer = k.log
        k.log, s.counter = log, counter
        going = left > 0
        drawn = below(k, s, going, purpose, n)
        add = xp.where(worth, 1 << (8 * drawn), drawn)
        summed = xp.where(going, summed + add, summed)
        again = until & (drawn == 1) & (summed < 20)
        left = xp.where(until, whole(again), left - whole(going)).astype(np.int32)
        carry = left, summed.astype(np.int32), s.counter, k.log
        k.log = outer
        return carry

    start = (left.astype(np.int32), xp.zeros_like(left, dtype=np.int32), s.counter, k.log)
    _, summed, s.counter, k.log = k.loop(goes_on, body, start)
    return summed


def words(k: Kit, key: Any, counter: Any, tape: Any, places: Any = _PLACES) -> Any:
    """Return words of some lanes, uint32[20, B], after the counter; `tape` is (tape, start)."""
    at = counter + places.astype(np.uint32)
    if not tape:
        return threefry(key[0], key[1], at)
    row = (at - tape[1]).astype(np.int32)
    return k.xp.take_along_axis(tape[0], k.xp.clip(row, 0, tape[0].shape[0] - 1), axis=0)
