"""Games on the reference engine as lanes for the training loop.

    lanes = ReferenceGames(opponent="greedy").lanes(64)     # `envwright train --backend reference`
    view = lanes.reset(seeds)                               # obs[64, …], legal bool[64, 128]
    step = lanes.step(actions)

Without an opponent a game is two lanes, and only the mover's choice is played. With one it is one
lane whose seat is drawn, and a step is one decision of either: while the opponent decides, only
PASS is legal, and the opponent's own answer is played. Decks are drawn from `deck_lists` unless two
are named.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.core.spaces import Discrete
from envwright.errors import EnvwrightError
from envwright.sim.hosts import HostStep, HostView
from envwright.zoo.tcgpocket import features, opponents
from envwright.zoo.tcgpocket.choices import chosen_settings, obs_space, playable_decks
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.observation import LENGTH, observe_many
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE
from envwright.zoo.tcgpocket.reference import Game

PLAYERS = 2


def _observed(games: Sequence[Game], players: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return what each of the players sees of each game, int16[B, 382]."""
    saved = np.frombuffer(b"".join(game.save() for game in games), STATE)
    seen = observe_many(saved, np.asarray(players), games[0].table.settings)
    return seen.view(np.int16).reshape(len(games), LENGTH)


class ReferenceGames:
    """The settings of the lanes. Further options are single settings: `max_turns=40`."""

    def __init__(
        self,
        opponent: str | None = None,
        view: str = "raw",
        decks: Any = None,
        settings: Settings | None = None,
        **rules: Any,
    ) -> None:
        if opponent is not None:
            opponents.check(opponent)
        obs_space(view)
        playable_decks(decks)
        self.opponent, self.view, self.decks = opponent, view, decks
        self.settings = chosen_settings(settings, rules)

    def lanes(self, count: int) -> ReferenceLanes:
        """Return `count` lanes."""
        return ReferenceLanes(count, self)

    def table(self) -> ReferenceTable:
        """Return games for two external players."""
        if self.opponent is not None:
            raise EnvwrightError("at a table two players meet; leave out the opponent")
        return ReferenceTable(self)

    def new(self, rng: np.random.Generator) -> Game:
        """Start a game whose decks and seed are drawn."""
        decks = playable_decks(self.decks)
        if self.decks is None:
            decks = [decks[number] for number in rng.integers(len(decks), size=2)]
        return Game.new(decks, int(rng.integers(0, 2**64, dtype=np.uint64)), self.settings)


@dataclass
class Seat:
    """One game with the generator of its lane."""

    game: Game
    rng: np.random.Generator
    learner: int  # whose lane it is; 0 where both have one


class ReferenceLanes:
    """Games one after another in a Python loop; see `train.hosts.HostLanes`."""

    def __init__(self, count: int, about: ReferenceGames) -> None:
        self.about, self.num_envs = about, count
        self.players = 1 if about.opponent else PLAYERS
        if count % self.players:
            raise EnvwrightError(f"{count} lanes are not games of two; give an even number")
        self.obs_space, self.action_space = obs_space(about.view), Discrete(actions.PADDED)
        self.seats: list[Seat] = []

    def reset(self, seeds: Sequence[int]) -> HostView:
        self.seats = [self._begun(np.random.default_rng(s)) for s in seeds[:: self.players]]
        return self._view()

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        count = len(self.seats)
        chosen = np.asarray(actions).reshape(count, self.players)
        answers = self._answers()
        going = np.ones(count, bool) if active is None else active[:: self.players]
        reward = np.zeros((count, self.players), np.float32)
        ended = np.zeros(count, bool)
        for number in np.flatnonzero(going).tolist():
            seat = self.seats[number]
            mover = seat.game.mover
            if self.players == PLAYERS:
                action = chosen[number, mover]
            else:
                action = chosen[number, 0] if mover == seat.learner else answers[number]
            seat.game.step(int(action))
            if seat.game.over:
                ended[number] = True
                paid = seat.game.rewards
                reward[number] = paid if self.players == PLAYERS else paid[seat.learner]
        final = self._view().obs if ended.any() else None
        for number in np.flatnonzero(ended):
            self.seats[number] = self._begun(self.seats[number].rng)
        view = self._view()
        over = np.repeat(ended, self.players)
        final = view.obs if final is None else final
        return HostStep(view, reward.reshape(-1), over, np.zeros_like(over), final)

    def snapshot(self) -> bytes | None:
        return pickle.dumps([(s.game.save(), s.rng, s.learner) for s in self.seats])

    def restore(self, snapshot: bytes) -> HostView:
        kept = pickle.loads(snapshot)
        self.seats = [
            Seat(Game.load(data, self.about.settings), rng, learner) for data, rng, learner in kept
        ]
        return self._view()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _begun(self, rng: np.random.Generator) -> Seat:
        game = self.about.new(rng)
        learner = int(rng.integers(PLAYERS)) if self.players == 1 else 0
        return Seat(game, rng, learner)

    def _answers(self) -> dict[int, int]:
        """Return what the opponent does in each game in which it is asked."""
        if self.about.opponent is None:
            return {}
        asked = [n for n, seat in enumerate(self.seats) if seat.game.mover != seat.learner]
        if not asked:
            return {}
        games = [self.seats[number].game for number in asked]
        seen = _observed(games, [game.mover for game in games])
        masks = np.stack([game.mask() for game in games])
        words = [self.seats[n].rng.integers(0, 2**32, dtype=np.uint32) for n in asked]
        answers = opponents.answer(self.about.opponent, np, seen, masks, np.array(words))
        return dict(zip(asked, answers.tolist(), strict=True))

    def _view(self) -> HostView:
        lanes = [
            (seat.game, player)
            for seat in self.seats
            for player in ([seat.learner] if self.players == 1 else range(PLAYERS))
        ]
        obs = _observed(*zip(*lanes, strict=True))
        legal = np.zeros((self.num_envs, actions.PADDED), bool)
        acting = np.array([game.mover == player for game, player in lanes])
        for lane, (game, _) in enumerate(lanes):
            if acting[lane]:
                legal[lane] = game.mask()
            else:
                legal[lane, actions.PASS] = True
        shown = obs if self.about.view == "raw" else features.features(np, obs)
        return HostView(shown, legal, acting if self.players == PLAYERS else None)


class ReferenceTable:
    """Games for two players to meet; see `train.arena.Table`. Shows raw observations."""

    def __init__(self, about: ReferenceGames) -> None:
        self.about = about
        self.games: list[Game] = []

    def begin(self, seeds: Sequence[int]) -> None:
        self.games = [self.about.new(np.random.default_rng(seed)) for seed in seeds]

    def look(self) -> tuple[np.ndarray, np.ndarray]:
        obs = _observed(self.games, self.movers())
        return obs, np.stack([game.mask() for game in self.games])

    def movers(self) -> np.ndarray:
        return np.array([game.mover for game in self.games])

    def play(self, given: np.ndarray) -> None:
        for game, action in zip(self.games, given.tolist(), strict=True):
            if not game.over:
                game.step(action)

    @property
    def over(self) -> np.ndarray:
        return np.array([game.over for game in self.games])

    @property
    def rewards(self) -> np.ndarray:
        return np.array([game.rewards for game in self.games], float)
