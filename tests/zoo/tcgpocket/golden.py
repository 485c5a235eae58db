"""Whole games as digests: state, legal actions, both observations at every step, all draws.

PYTHONPATH=tests python -m zoo.tcgpocket.golden      # writes golden.json from the reference
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

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


def digest(engine, mine: str, other: str, seed: int, settings: Settings) -> dict:
    """One game of an engine; actions are taken by turns from the end and from anywhere."""
    game = engine.new((deck_lists.named(mine), deck_lists.named(other)), seed, settings)
    seen = hashlib.sha256()
    steps = 0
    while True:
        seen.update(game.save())
        seen.update(bytes(game.legal))
        for player in (0, 1):
            seen.update(flat(game.observe(player)).tobytes())
        if game.over:
            break
        choice = -1 if steps % 3 == 0 else (steps * STRIDE + seed) % len(game.legal)
        game.step(game.legal[choice])
        steps += 1
    seen.update(json.dumps([list(map(int, row)) for row in game.log]).encode())
    return {"steps": steps, "draws": len(game.log), "sha256": seen.hexdigest()}


def name(mine: str, other: str, seed: int) -> str:
    """What a game is called in the file."""
    return f"{mine} - {other} - {seed}"


if __name__ == "__main__":
    made = {name(*game[:3]): digest(Game, *game) for game in games()}
    FILE.write_text(json.dumps(made, indent=1) + "\n")
