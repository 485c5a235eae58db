"""Random buttons for any game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from envwright.zoo.gameboy.buttons import BIT


@dataclass(frozen=True)
class Frame:
    """The buttons of a frame, and whether it is drawn."""

    buttons: int = 0
    render: bool = True


def random_frames(seed: int, count: int) -> Iterator[Frame]:
    """Yield buttons that get past titles and through menus: held for a while, sometimes together.

    With an even seed every frame is drawn; with an odd one, about every second.
    """
    rng = np.random.default_rng([seed, 0x6B])
    buttons, left = 0, 0
    for _ in range(count):
        if left == 0:
            buttons, left = _draw(rng), int(rng.choice([1, 2, 4, 8, 16, 40]))
        left -= 1
        yield Frame(buttons, seed % 2 == 0 or bool(rng.random() < 0.5))


def _draw(rng: np.random.Generator) -> int:
    kind = rng.random()
    if kind < 0.25:
        return 0
    if kind < 0.35:
        return BIT["start"]
    if kind < 0.9:
        return 1 << int(rng.integers(8))
    return int(rng.integers(256))  # also combinations that no hand can press
