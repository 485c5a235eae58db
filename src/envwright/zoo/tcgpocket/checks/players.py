"""Players of the compared games, who choose from the reference's list of legal actions."""

from __future__ import annotations

import random

from envwright.zoo.tcgpocket import opponents
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.reference import Game

# Weights of kinds of actions in the free part of a turn, by the first id of each kind.
_FIRST = (
    actions.PASS, actions.PLAY, actions.ATTACH, actions.RETREAT, actions.ABILITY, actions.ATTACK,
    actions.STADIUM, actions.DISCARD_FOSSIL, actions.CHOOSE_SLOT,
)  # fmt: skip


def _table(*weights: float) -> list[float]:
    table = [1.0] * actions.PADDED
    for first, following, weight in zip(_FIRST[:-1], _FIRST[1:], weights, strict=True):
        table[first:following] = [weight] * (following - first)
    return table


#                 pass play attach retreat ability attack stadium fossil
_BUILDER = _table(0.2, 10, 8, 0.7, 6, 1.5, 6, 0.1)  # evolves and equips before it attacks
_FIGHTER = _table(0.3, 5, 6, 0.5, 5, 10, 1, 0.1)
_MOVER = _table(0.5, 4, 6, 6, 5, 4, 4, 2)  # retreats, discards fossils


def _weighted(table: list[float]):
    def choose(game: Game, rng: random.Random) -> int:
        question = game.table.question
        if question is None or question.ask != Ask.MAIN:
            return rng.choice(game.legal)
        return rng.choices(game.legal, [table[action] for action in game.legal])[0]

    return choose


def anything(game: Game, rng: random.Random) -> int:
    """Choose any legal action."""
    return rng.choice(game.legal)


def greedy(game: Game, rng: random.Random) -> int:
    """Choose like the greedy opponent, except for every fifth decision, which is random."""
    if rng.random() < 0.2:
        return rng.choice(game.legal)
    return opponents.choose("greedy", game.observe(), game.mask(), rng)


PLAYERS = {
    "random": anything,
    "builder": _weighted(_BUILDER),
    "fighter": _weighted(_FIGHTER),
    "mover": _weighted(_MOVER),
    "greedy": greedy,
}
