"""What a benchmark compares: one way to run an environment, and how it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle, islice
from time import process_time
from typing import Any

Run = Callable[[int], int]  # steps to do at least -> steps done


class Role(StrEnum):
    """Why an implementation is in the table."""

    OURS = "ours"
    REFERENCE = "reference"  # what the ratios are to
    PEER = "peer"


class Kind(StrEnum):
    """What the environment is run with."""

    RANDOM = "random"  # actions drawn beforehand
    ROLLOUT = "rollout"  # a policy acts, transitions are stored
    PPO = "ppo"  # a whole training loop
    ROLLOUT_GRU = "rollout-gru"  # the same with a recurrent network of 2M parameters
    PPO_GRU = "ppo-gru"


def do_nothing() -> None:
    """There is nothing to close."""


@dataclass(frozen=True)
class Prepared:
    """An implementation ready to be timed: everything is compiled, reset and warm.

    `run` does at least the steps asked for (lanes times ticks), waits until their results
    exist, goes on where the last call ended, and returns how many steps it did.
    """

    run: Run
    compile_seconds: float = 0.0
    close: Callable[[], None] = do_nothing
    processor: Callable[[], float] = process_time  # seconds of all cores so far
    processes: tuple[int, ...] = ()  # that work for it, beside this one


def stepping(env: Any, bank: Iterable[Any], batch: int) -> Run:
    """Step a vector environment from a Python loop, with the actions of a bank in turn."""
    endless = cycle(bank)

    def run(steps: int) -> int:
        ticks = -(-steps // batch)
        for actions in islice(endless, ticks):
            env.step(actions)
        return ticks * batch

    return run


class Implementation:
    """One way to run an environment. Subclasses say these things and write `prepare`."""

    name: str
    role: Role
    timed: str  # one sentence: what exactly a timed step contains
    kinds: tuple[Kind, ...] = (Kind.RANDOM,)

    @property
    def threads(self) -> int:
        """How many threads it may use; 1 unless a subclass says otherwise."""
        return 1

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """The batches it runs of those wanted; a single environment answers `(1,)`."""
        return wanted

    def bytes_per_env(self, batch: int) -> float | None:
        """What one environment of a batch takes; asked in a fresh process. None: unknown."""
        return None

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        """Make it ready; raise ImportError where its package is missing."""
        raise NotImplementedError
