"""Whole games as digests: state, legal actions, both observations at every step, all draws.

python -m tests.zoo.tcgpocket.golden      # writes golden.json from the reference
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from envwright.zoo.tcgpocket import deck_lists
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.reference import Game

FILE = Path(__file__).with_name("golden.json")
STRIDE = 7919  # a prime: choices differ from step to step without a generator of their own
OTHERWISE = Settings(
    max_turns=24,
    opening="dealt",
    retreat_payment="fixed",
    same_stadium=True,
    weakness_first=True,
    public_next_energy=True,
)


def games() -> list[tuple[str, str, int, Settings]]:
    """Each deck against the next one, in two settings."""
    names = list(deck_lists.LISTS)
    pairs = zip(names, names[1:] + names[:1], strict=True)
    return [
        (mine, other, seed, Settings() if seed % 3 else OTHERWISE)
        for seed, (mine, other) in enumerate(pairs, 1)
    ]


class Digest:
    """A game as it is seen step by step; actions are taken from the end, or from anywhere."""

    def __init__(self, seed: int):
        self.seed, self.steps = seed, 0
        self.seen = hashlib.sha256()
        self.log: list[list[int]] = []

    def see(self, data: bytes, legal: list[int], views: list[np.ndarray]) -> None:
        """The game after a step; views are vectors."""
        self.seen.update(data)
        self.seen.update(bytes(legal))
        for view in views:
            self.seen.update(view.tobytes())

    def choose(self, legal: list[int]) -> int:
        """The next action."""
        choice = -1 if self.steps % 3 == 0 else (self.steps * STRIDE + self.seed) % len(legal)
        self.steps += 1
        return legal[choice]

    def done(self) -> dict:
        """What is written down."""
        self.seen.update(json.dumps(self.log).encode())
        return {"steps": self.steps, "draws": len(self.log), "sha256": self.seen.hexdigest()}


def digest(mine: str, other: str, seed: int, settings: Settings) -> dict:
    """One game of the reference."""
    game = Game.new((deck_lists.named(mine), deck_lists.named(other)), seed, settings)
    told = Digest(seed)
    while True:
        told.see(game.save(), game.legal, [flat(game.observe(player)) for player in (0, 1)])
        if game.over:
            break
        game.step(told.choose(game.legal))
    told.log = [list(map(int, row)) for row in game.log]
    return told.done()


def digests(batch, listed: list[tuple[str, str, int, Settings]]) -> list[dict]:
    """Games of one setting side by side, on an engine that plays batches."""
    decks = [(deck_lists.named(mine), deck_lists.named(other)) for mine, other, *_ in listed]
    batch.new(decks, [seed for _, _, seed, _ in listed])
    told = [Digest(seed) for _, _, seed, _ in listed]
    running = np.ones(len(listed), bool)
    while running.any():
        legal = [np.flatnonzero(mask).tolist() for mask in batch.masks]
        views = [batch.observe(np.full(len(listed), player)) for player in (0, 1)]
        records, over, draws = batch.records, batch.over, batch.draws
        chosen = np.zeros(len(listed), np.int32)
        for lane in np.flatnonzero(running):
            one = told[lane]
            one.log += [list(map(int, row)) for row in draws[lane]]
            one.see(records[lane].tobytes(), legal[lane], [view[lane] for view in views])
            if not over[lane]:
                chosen[lane] = one.choose(legal[lane])
        running &= ~over
        batch.step(chosen)
    return [one.done() for one in told]


def name(mine: str, other: str, seed: int) -> str:
    """What a game is called in the file."""
    return f"{mine} - {other} - {seed}"


if __name__ == "__main__":
    made = {name(*game[:3]): digest(*game) for game in games()}
    FILE.write_text(json.dumps(made, indent=1) + "\n")
