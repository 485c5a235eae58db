"""The fast engine, one game at a time, as tests of rules drive it."""

from __future__ import annotations

from functools import cache

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.contract.observation import record
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE
from envwright.zoo.tcgpocket.engine.games import Games


class FastGame:
    """One game; a batch of one inside."""

    def __init__(self, games: Games, tape, begin):
        self.games = games
        self.tape = None if tape is None else list(tape)
        self.log = []
        self._run(begin)

    def _run(self, act) -> None:
        """Every call gets what is left of the tape; a draw beyond its end is an error."""
        rest = None if self.tape is None else self.tape[len(self.log) :]
        padded = None if rest is None else np.array([[*rest, *[0] * PAD]], np.uint32)
        act(padded)
        drawn = self.games.draws[0]
        if rest is not None and len(drawn) > len(rest):
            raise EnvwrightError(f"draw {len(self.log) + len(rest)} is not on the tape")
        self.log += [tuple(map(int, row)) for row in drawn]

    def step(self, action: int) -> None:
        """One decision."""
        self._run(lambda tapes: self.games.step(np.array([action]), tapes=tapes))

    @property
    def legal(self) -> list[int]:
        """Legal actions."""
        return np.flatnonzero(self.games.masks[0]).tolist()

    @property
    def mover(self) -> int:
        """Who decides."""
        return int(self.games.mover[0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.games.over[0])

    @property
    def rewards(self) -> tuple[int, int]:
        """Rewards of both."""
        return tuple(self.games.rewards[0].tolist())

    def save(self) -> bytes:
        """The record."""
        return self.games.records[0].tobytes()

    def mask(self) -> np.ndarray:
        """bool[128]."""
        return self.games.masks[0]

    def observe(self, player: int | None = None) -> np.ndarray:
        """What a player sees, with names."""
        players = None if player is None else np.array([player])
        return record(self.games.observe(players)[0])


PAD = 64  # draws that a tape might lack without the array being too short


class Engine:
    """`new` and `load`, as tests call them."""

    def __init__(self, xp: str):
        self.xp = xp

    def new(self, decks, seed: int = 0, settings: Settings | None = None, tape=None) -> FastGame:
        """A new game."""
        games = Games(settings, self.xp)
        begin = lambda tapes: games.new([tuple(decks)], [seed], tapes=tapes)  # noqa: E731
        return FastGame(games, tape, begin)

    def load(self, data: bytes, settings: Settings | None = None, tape=None) -> FastGame:
        """A saved game."""
        games = Games(settings, self.xp)
        begin = lambda tapes: games.load(np.frombuffer(data, STATE, 1), tapes=tapes)  # noqa: E731
        return FastGame(games, tape, begin)


@cache
def engine(xp: str) -> Engine:
    """The engine on NumPy or JAX."""
    return Engine(xp)
