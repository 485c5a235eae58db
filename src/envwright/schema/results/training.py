"""Results of `envwright train`, `elo` and `play`."""

from __future__ import annotations

from typing import Any

import msgspec

from envwright.schema.results.base import Stored


class FinalReturn(msgspec.Struct):
    """Mean returns of the last tenth of training; None where no episode ended."""

    mean: float | None
    per_seed: list[float | None]


class Training(Stored, kw_only=True, tag="training"):
    """Learning curves of several seeds on one backend."""

    backend: str
    simulator: str
    config: dict[str, Any]
    seeds: list[int]
    parameters: int
    steps: list[int]  # a number for each point of the curve
    seconds: list[float]
    returns: list[list[float | None]]  # by seed and point
    lengths: list[list[float | None]]
    final_return: FinalReturn
    steps_per_second: float
    notes: list[str] = []

    def __post_init__(self) -> None:
        if not self.returns or any(len(seed) != len(self.steps) for seed in self.returns):
            raise ValueError("`returns` needs a value for each seed and every entry of `steps`")
        if len(self.seconds) != len(self.steps):
            raise ValueError("`seconds` and `steps` differ in length")


class Rating(msgspec.Struct):
    """How strong one player of a round robin is, with a 95 % interval."""

    name: str
    elo: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int


class Elo(Stored, kw_only=True, tag="elo"):
    """Ratings of everybody who met."""

    options: dict[str, Any] = {}
    backend: str
    games: int  # between any two
    seed: int
    players: list[Rating]
    scores: list[list[float | None]]  # the row's share against the column; None: never met

    @property
    def ranking(self) -> list[Rating]:
        """The players, strongest first."""
        return sorted(self.players, key=lambda player: -player.elo)


class Play(Stored, kw_only=True, tag="play"):
    """A trained policy at work, in an image beside the JSON."""

    simulator: str
    episodes: int
    total: float = msgspec.field(name="return")
    steps: int
    caption: str
    image: str
