"""SplitMix64, the generator of a lane's starts."""

from __future__ import annotations

MASK = (1 << 64) - 1


class SplitMix64:
    """A generator with eight bytes of state; every seed works."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def bits(self) -> int:
        """Return the next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return z ^ z >> 31

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return self.bits() * n >> 64
