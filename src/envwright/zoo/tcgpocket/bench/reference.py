"""Games of TCG Pocket on the Python reference, one after another: decisions in, seconds out.

This module does not import JAX, which the reference does not need.
"""

from __future__ import annotations

import random
import sys
import time

from envwright.zoo.tcgpocket import deck_lists
from envwright.zoo.tcgpocket.reference import Game


class RandomGames:
    """Random games that follow each other."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = list(deck_lists.LISTS)
        self.game = self._new()

    def _new(self) -> Game:
        names = [self.rng.choice(self.names) for _ in range(2)]
        return Game.new([deck_lists.named(name) for name in names], self.rng.getrandbits(64))

    def play(self, steps: int) -> None:
        """Play so many decisions."""
        game, choice = self.game, self.rng.choice
        for _ in range(steps):
            if game.over:
                game = self._new()
            game.step(choice(game.legal))
        self.game = game


def main() -> None:
    """Serve until the other end closes."""
    games = RandomGames(int(sys.argv[1]))
    for line in sys.stdin:
        began = time.process_time()
        games.play(int(line))
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main()
