"""The reference as a batch, and a copy with one rule broken: what checks are tried on."""

from __future__ import annotations

from unittest import mock

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.contract.observation import OBSERVATION, flat
from envwright.zoo.tcgpocket.contract.state import unpack
from envwright.zoo.tcgpocket.reference import Game, damage

_view = np.zeros((), OBSERVATION)
_view["sides"]["next_energy"][1] = 1
NEXT_ENERGY = int(np.argmax(flat(_view)))  # of the other side


class StandIn:
    """Games of the reference with the interface of a fast engine."""

    def __init__(self, settings=None):
        self.settings = settings
        self.games = []
        self.draws = []

    def new(self, decks, seeds):
        pairs = zip(decks, seeds, strict=True)
        self.games = [Game.new(two, seed, self.settings) for two, seed in pairs]
        self.draws = [list(game.log) for game in self.games]

    def load(self, records):
        self.games = [Game.load(record.tobytes(), self.settings) for record in records]
        self.draws = [list(game.log) for game in self.games]

    def step(self, actions):
        self.draws = []
        for game, action in zip(self.games, actions, strict=True):
            before = len(game.log)
            if not game.over:
                game.step(int(action))
            self.draws.append(game.log[before:])

    def observe(self, players=None):
        chosen = [None] * len(self.games) if players is None else players.tolist()
        return np.stack([flat(g.observe(p)) for g, p in zip(self.games, chosen, strict=True)])

    @property
    def records(self):
        return np.stack([unpack(game.save()) for game in self.games])

    @property
    def masks(self):
        return np.stack([game.mask() for game in self.games])

    @property
    def mover(self):
        return np.array([game.mover for game in self.games])

    @property
    def over(self):
        return np.array([game.over for game in self.games])

    @property
    def rewards(self):
        return np.array([game.rewards for game in self.games])


class Broken(StandIn):
    """Weakness adds 30 instead of 20."""

    def _wrong(self):
        return mock.patch.object(damage, "WEAKNESS", 30)

    def load(self, records):
        with self._wrong():
            super().load(records)

    def step(self, actions):
        with self._wrong():
            super().step(actions)


class Raising(StandIn):
    """Raises whenever somebody retreats."""

    def step(self, actions):
        if any(25 <= action < 28 for action in actions):
            raise EnvwrightError("no retreat")
        super().step(actions)


class Seeing(StandIn):
    """Shows the other side's next energy."""

    def observe(self, players=None):
        seen = super().observe(players).copy()
        seen[:, NEXT_ENERGY] += 1
        return seen


class Forgetful(StandIn):
    """Tells of no draws."""

    def new(self, decks, seeds):
        super().new(decks, seeds)
        self.draws = [[] for _ in seeds]
