"""The protocol of simulators: anything that resets and steps.

Subclasses declare what more they can do; every level uses what both sides of a pair offer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.records import Fields
from envwright.sim.tape import Draw


class TwinRaised(Exception):
    """A simulator raised instead of answering; the text is the exception's."""


@contextmanager
def twin_at_work() -> Generator[None]:
    """Treat an exception as the twin's answer: raise `TwinRaised` in its place."""
    try:
        yield
    except TwinRaised:
        raise  # in another process, which said what it was
    except Exception as error:
        raise TwinRaised(f"{type(error).__name__}: {error}") from error


class Simulator:
    """A reference or a twin, driven one step at a time.

    `reset` returns a record with `obs` only, `step` a whole one; where `loads` is true,
    records hold `state.…` too. Records are plain NumPy.
    """

    name: str
    action_space: gymnasium.Space[Any]
    observation_space: gymnasium.Space[Any]

    info: Mapping[str, Any] = {}  # beside the last reset or step; no record has it

    dropped: tuple[str, ...] = ()  # texts that it shows and that records leave out

    outside: tuple[str, ...] = ()  # wrappers that are not part of it, as module:Class

    time_limit: int | None = None  # steps after which an episode is truncated, if known

    players = 1
    sits = False  # it shows the views of all its players
    masks = False  # observations hold what is legal, and an illegal action stands for another

    loads = False  # state() and load() work
    observes = False  # observe() works: the observation of a loaded state
    records_draws = False  # draws() returns what was drawn
    draws_unseen = False  # it has a generator of its own that draws() does not watch
    follows_draws = False  # reset_with() and step_with() take recorded draws
    begins_by_draws = True  # they decide its starts too, even if states can be loaded
    trains_as_lanes = False  # lanes(n) makes n of them for training, each with its own seed

    def reset(self, seed: int) -> Fields:
        """Start an episode; the same seed gives the same episode."""
        raise NotImplementedError

    def step(self, action: Any) -> Fields:
        """Advance by one action. No auto-reset: the caller resets after the end."""
        raise NotImplementedError

    def state(self) -> Fields:
        """Return the state as named arrays."""
        raise EnvwrightError(f"{self.name} does not show its state")

    def load(self, state: Fields) -> None:
        """Continue from this state. Fields that are not named keep their start values."""
        raise EnvwrightError(f"{self.name} cannot load a state")

    def observe(self) -> Fields:
        """Return the observation of the current state."""
        raise EnvwrightError(f"{self.name} observes only by stepping")

    def draws(self) -> tuple[Draw, ...]:
        """Return the random numbers that the last reset or step drew."""
        return ()

    def reset_with(self, draws: Sequence[Draw]) -> Fields:
        """Start an episode with these random draws."""
        raise EnvwrightError(f"{self.name} cannot follow a tape of draws")

    def step_with(self, action: Any, draws: Sequence[Draw]) -> Fields:
        """Advance with these random draws."""
        raise EnvwrightError(f"{self.name} cannot follow a tape of draws")

    def _follow(
        self,
        start_noise: Callable[[Sequence[Draw]], Any],
        step_noise: Callable[[Sequence[Draw]], Any] | None = None,
    ) -> None:
        """Set how the reference's draws become the noise of this simulator.

        Simulators that take draws offer this as `follow`.
        """
        self.follows_draws = True
        self._start_noise, self._step_noise = start_noise, step_noise

    def step_many(self, states: Sequence[Fields], actions: Sequence[Any]) -> list[Fields]:
        """Take one step from each state; subclasses may do this faster."""
        records = []
        for state, action in zip(states, actions, strict=True):
            self.load(state)
            records.append(self.step(action))
        return records

    def starts(self, seed: int, count: int) -> Fields:
        """Return many fresh starts as a table: `obs`, and `state.…` if shown."""
        return table_of_starts([self.reset(seed + i) for i in range(count)])

    def seated(self, masks: bool) -> Simulator:
        """Return this game with all players' views. Raises if it cannot show them."""
        raise EnvwrightError(
            f"{self.name} cannot be compared with a PettingZoo game; give a PettingZoo game or an "
            "Env of several players"
        )

    def close(self) -> None:
        """Release what the simulator holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def table_of_starts(records: Sequence[Fields]) -> Fields:
    """Stack starts to a table; fields whose shapes vary are left out."""
    alike = [k for k in records[0] if len({r[k].shape for r in records}) == 1]
    return {k: np.stack([r[k] for r in records]) for k in alike}
