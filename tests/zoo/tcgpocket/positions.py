"""Positions of many games on the reference: what players see and may do there."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from envwright.zoo.tcgpocket import cards, deck_lists, decks, opponents
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.reference import Game


def pair(rng: random.Random):
    """Two decks: our lists, or around any card, so that all effects come up."""
    lists = list(deck_lists.LISTS)
    numbers = sorted(cards.load())
    return [
        deck_lists.named(rng.choice(lists))
        if rng.random() < 0.5
        else decks.around(rng.choice(numbers), rng)
        for _ in range(2)
    ]


@cache
def positions(games: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """int16[N, 382] and bool[N, 128] of all decisions of some games, played by all opponents."""
    rng = random.Random(seed)
    views, masks = [], []
    for number in range(games):
        game = Game.new(pair(rng), number)
        names = [rng.choice(list(opponents.OPPONENTS)) for _ in range(2)]
        while not game.over:
            views.append(flat(game.observe()))
            masks.append(game.mask())
            action = opponents.choose(names[game.mover], views[-1], masks[-1], rng)
            game.step(action if rng.random() < 0.9 else rng.choice(game.legal))
    return np.stack(views), np.stack(masks)
