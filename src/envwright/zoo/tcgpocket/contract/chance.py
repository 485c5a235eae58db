"""Chance: Threefry 2x32 with 20 rounds on a game's key and a counter, in plain integers.

    chance = Chance(seed)
    chance.below(Purpose.COIN, 2)     # 1 is heads
    chance.log                        # [(Purpose.COIN, 2, 1)]

A tape of results can be given instead; it is read in the order of draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from envwright.errors import EnvwrightError

MASK = 0xFFFFFFFF
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


class Purpose(IntEnum):
    """The purpose of a draw."""

    FIRST = 0  # who begins: the player's number
    SHUFFLE = 1  # a whole word for each card of a deck, logged with n = 0
    OPENING = 2  # the Basic that is dealt
    ENERGY = 3  # the next energy of a zone
    COIN = 4  # a coin of an attack, ability or trainer card: 1 is heads
    CONFUSION = 5  # 1 is heads: the attack is made
    BURN = 6  # 1 is heads: it is over
    SLEEP = 7  # 1 is heads: it wakes up
    CARD = 8  # a random card
    DISCARD_ENERGY = 9  # a random energy
    TARGET = 10  # a random Pokemon


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Run the block cipher: two words of key, two of counter, two of output."""
    words = (*key, _PARITY ^ key[0] ^ key[1])
    a, b = (counter[0] + words[0]) & MASK, (counter[1] + words[1]) & MASK
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            a = (a + b) & MASK
            b = ((b << turn) & MASK | b >> (32 - turn)) ^ a
        a = (a + words[(group + 1) % 3]) & MASK
        b = (b + words[(group + 2) % 3] + group + 1) & MASK
    return a, b


def key_of(seed: int) -> tuple[int, int]:
    """Return the key of the game of a seed."""
    if not 0 <= seed < 1 << 64:
        raise EnvwrightError(f"seed {seed} does not fit; give 0 to 2**64 - 1")
    return seed >> 32, seed & MASK


class Chance:
    """The draws of one game, in order, with a log of all of them."""

    def __init__(self, seed: int = 0, tape: Iterable[int] | None = None):
        self.key = key_of(seed)
        self.counter = 0
        self.log: list[tuple[int, int, int]] = []
        self.tape = None if tape is None else iter(tape)

    def _result(self, purpose: int, n: int) -> int:
        """Draw once; `n` = 0 returns the whole word."""
        if self.tape is None:
            word = threefry(self.key, (self.counter, 0))[0]
            result = word * n >> 32 if n else word
        else:
            result = next(self.tape, -1)
            if not 0 <= result < (n or 1 << 32):
                raise EnvwrightError(
                    f"draw {self.counter} ({Purpose(purpose).name}, {n}) has {result} on the tape; "
                    "give a tape with a fitting result for every draw"
                )
        self.counter += 1
        self.log.append((int(purpose), n, result))
        return result

    def below(self, purpose: int, n: int) -> int:
        """Draw a number from 0 to n - 1. For n = 1 nothing is drawn: no counter, no log."""
        return 0 if n == 1 else self._result(purpose, n)

    def words(self, count: int) -> list[int]:
        """Draw so many whole words, for a shuffle. One card is shuffled without a draw."""
        if count < 2:
            return [0] * count
        return [self._result(Purpose.SHUFFLE, 0) for _ in range(count)]

    def heads(self, purpose: int) -> bool:
        """Flip a coin."""
        return self._result(purpose, 2) == 1
