"""Implementations: the ways to run an environment that a benchmark compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle, islice
from time import process_time
from typing import Any

Run = Callable[[int], int]  # steps to do at least -> steps done


class Role(StrEnum):
    """The role of an implementation in the table."""

    OURS = "ours"
    REFERENCE = "reference"  # the ratios are relative to it
    PEER = "peer"


class Kind(StrEnum):
    """The load that an environment is measured with."""

    RANDOM = "random"  # actions drawn beforehand
    ROLLOUT = "rollout"  # a policy acts, transitions are stored
    PPO = "ppo"  # a whole training loop
    ROLLOUT_GRU = "rollout-gru"  # the same with a recurrent network of 2M parameters
    PPO_GRU = "ppo-gru"


def do_nothing() -> None:
    """Do nothing, where there is nothing to close."""


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
    processes: tuple[int, ...] = ()  # other processes that work for it


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
    """One way to run an environment. Subclasses set these fields and write `prepare`."""

    name: str
    role: Role
    timed: str  # one sentence: what exactly a timed step contains
    kinds: tuple[Kind, ...] = (Kind.RANDOM,)

    @property
    def threads(self) -> int:
        """The number of threads it may use; 1 by default."""
        return 1

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Return which of the wanted batches it runs; a single environment returns `(1,)`."""
        return wanted

    def bytes_per_env(self, batch: int) -> float | None:
        """Return the memory of one environment of a batch, in a fresh process. None: unknown."""
        return None

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        """Make it ready. Raises ImportError if its package is missing."""
        raise NotImplementedError
