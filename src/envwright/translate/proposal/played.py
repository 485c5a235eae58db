"""Some episodes of an environment, and what they showed from outside."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.declared import odd_part
from envwright.sim.records import Fields, is_over, state_of
from envwright.sim.simulator import Simulator
from envwright.sim.tape import Draw
from envwright.verify.character import (
    is_stochastic,
    leaves_its_space,
    load_is_complete,
    raised,
    require_reproducible,
)
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.policies import find_policy

STEPS, EPISODES, SECONDS = 2000, 300, 3.0  # whichever is reached first
LONG = 1000  # steps of an episode that nothing may ever end


@dataclass
class Field:
    """A named value over all observations."""

    name: str
    dtypes: list[np.dtype] = field(default_factory=list)
    shapes: set[tuple[int, ...]] = field(default_factory=set)
    largest: float = 0.0  # in absolute value
    values: set[float] = field(default_factory=set)  # all values of a number, if they are few

    def take(self, value: np.ndarray) -> None:
        if value.dtype not in self.dtypes:
            self.dtypes.append(value.dtype)
        self.shapes.add(value.shape)
        finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
        if finite.size and finite.dtype.kind in "biuf":
            self.largest = max(self.largest, float(np.max(np.abs(finite.astype(np.float64)))))
        if value.ndim == 0 and len(self.values) < 9:
            self.values.add(float(value))

    @property
    def dtype(self) -> np.dtype:
        """A dtype that holds all values."""
        return np.result_type(*self.dtypes)

    @property
    def fixed(self) -> bool:
        """Whether all values have the same shape."""
        return len(self.shapes) == 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The largest size along every axis."""
        return tuple(max(sizes) for sizes in zip(*self.shapes, strict=True))

    @property
    def whole(self) -> bool:
        """Whether it is a number that was whole wherever it was seen, as many rewards are."""
        return 0 < len(self.values) < 9 and all(value.is_integer() for value in self.values)

    @property
    def grows_in_front(self) -> bool:
        """Whether only its first axis varies, like a list's."""
        tails = {shape[1:] for shape in self.shapes}
        return not self.fixed and len(tails) == 1 and all(self.shapes)

    def __str__(self) -> str:
        sizes = ", ".join(str(size) for size in self.shape)
        return f"{self.dtype}[{sizes}]" if self.shape else str(self.dtype)


@dataclass
class Play:
    """The observations."""

    state: dict[str, Field] = field(default_factory=dict)
    outside: dict[str, Field] = field(default_factory=dict)  # obs…, reward, terminated, truncated
    start_draws: list[tuple[Draw, ...]] = field(default_factory=list)  # one entry a reset
    step_draws: list[tuple[Draw, ...]] = field(default_factory=list)  # one entry a step
    returns: list[float] = field(default_factory=list)
    unended: int = 0  # episodes that nothing ended
    steps: int = 0
    stochastic: bool = False
    complete: bool = False  # a state that is read and loaded continues as it did

    @property
    def computes_in_floats(self) -> bool:
        """Whether more than constants is rounded: the state has floats or is hidden."""
        fields = self.state.values() or self.outside.values()
        return any(f.dtype.kind == "f" for f in fields)


def play(simulator: Simulator, policies: Sequence[str] = DEFAULT_POLICIES) -> Play:
    """Play episodes with several policies and seeds."""
    for space in (simulator.observation_space, simulator.action_space):
        if (odd := odd_part(space)) is not None:
            raise EnvwrightError(
                f"{simulator.name} declares {odd}, which has no fixed size; wrap the environment "
                "with Box, Discrete, MultiDiscrete, MultiBinary, or Dict and Tuple of these"
            )
    records = require_reproducible(simulator)
    outside = leaves_its_space(simulator, records)
    if outside:
        raise EnvwrightError(
            f"{simulator.name} shows observations outside the space that it declares: {outside}; "
            "correct observation_space, or what the environment returns"
        )
    seen = Play()
    end = time.monotonic() + SECONDS
    for episode in range(EPISODES):
        if seen.steps >= STEPS or time.monotonic() > end:
            break
        _episode(simulator, episode, policies[episode % len(policies)], seen)
    seen.stochastic = is_stochastic(simulator)
    seen.complete = simulator.loads and load_is_complete(simulator)
    return seen


def _episode(simulator: Simulator, seed: int, policy_name: str, seen: Play) -> None:
    policy, rng = find_policy(policy_name), np.random.default_rng((seed, 2))
    memory: dict = {}
    record = simulator.reset(seed)
    seen.start_draws.append(simulator.draws())
    _take(seen.state, state_of(record))
    t, total = 0, 0.0
    length = simulator.time_limit or STEPS
    for t in range(length):
        action = policy(rng, simulator.action_space, record.get("obs"), t, memory)
        try:
            record = simulator.step(action)
        except EnvwrightError:
            raise
        except Exception as error:
            raise raised(simulator, error) from error
        seen.step_draws.append(simulator.draws())
        _take(seen.state, state_of(record))
        _take(seen.outside, {k: v for k, v in record.items() if not k.startswith("state.")})
        seen.steps += 1
        total += float(np.sum(record["reward"]))
        if is_over(record) or seen.steps >= STEPS:
            break
    seen.returns.append(total)
    seen.unended += not is_over(record) and t + 1 >= LONG


def _take(fields: dict[str, Field], record: Fields) -> None:
    for name, value in record.items():
        fields.setdefault(name, Field(name)).take(value)
