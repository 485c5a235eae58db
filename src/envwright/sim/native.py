"""Rust environments as simulators: every state can be read and set, and many at once.

Lane 0 of a small batch is the simulator; tables of states are stepped in a batch of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from envwright.core.native import SEED_LIMIT, NativeVectorEnv, named_parts
from envwright.core.registry import find, make
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.sim.native_game import RNG, NativeGame
from envwright.sim.records import Fields, as_state, flatten, outcome, pad, stack, unstack
from envwright.sim.simulator import Simulator
from envwright.sim.tape import Draw, tape_of

BATCH = 4096  # states stepped together


class NativeSimulator(Simulator):
    """A native room. `create(lanes)` makes a batch of it, which declares its own spaces."""

    loads = observes = True
    draws_unseen = True  # its generator is part of the state

    def __init__(self, name: str, create: Callable[[int], NativeVectorEnv]) -> None:
        self.name, self._create = name, create
        self._env = create(1)
        self.observation_space = self._env.observation_space.to_gymnasium()  # type: ignore[attr-defined]
        self.action_space = self._env.action_space.to_gymnasium()  # type: ignore[attr-defined]
        self._env.reset(0)
        self._start = self.state()
        if isinstance(self._env, NativeGame):
            self.follows_draws, self.begins_by_draws = True, False
            self.time_limit = self._env.time_limit
            self.sample_table = self._sample_table  # callers look for this attribute

    def reset(self, seed: int) -> Fields:
        obs = self._env.reset(seed)
        return {**_seen(obs[0]), **as_state(self.state())}

    def step(self, action: Any) -> Fields:
        step = self._env.step_raw(np.asarray(action)[None])
        told = (named_parts(step.obs[0]), step.reward[0], step.terminated[0], step.truncated[0])
        return outcome(*told, self.state())

    def step_with(self, action: Any, draws: Sequence[Draw]) -> Fields:
        """Step the judged game from the current state, and the batch to where it arrives."""
        if not isinstance(self._env, NativeGame):
            return super().step_with(action, draws)
        before = self.state()
        named = {name: value for name, value in before.items() if name != RNG}
        self._env.ask(op="load", state=named)
        told = self._env.ask(op="step_with", action=np.asarray(action), tape=tape_of(draws))
        self._env.load(0, before | told["state"])
        ends = told["terminated"], told["truncated"]
        return outcome(named_parts(self._env.observe()[0]), told["reward"], *ends, self.state())

    def state(self) -> Fields:
        return {name: column[0, ...].copy() for name, column in self._env.state().items()}

    def load(self, state: Fields) -> None:
        self._env.load(0, self._whole(state))

    def observe(self) -> Fields:
        return _seen(self._env.observe()[0])

    def starts(self, seed: int, count: int) -> Fields:
        env = self._create(count)
        obs = env.reset(_spread(seed, count))
        return {**_seen(obs), **as_state(env.state())}

    def step_many(self, states: Sequence[Fields], actions: Sequence[Any]) -> list[Fields]:
        return unstack(self.step_table(states, actions))

    def step_table(self, states: Sequence[Fields], actions: Sequence[Any]) -> Fields:
        """Take one step from each state; return a table."""
        moves = np.stack([np.asarray(action) for action in actions])
        parts = []
        for first in range(0, len(states), BATCH):
            some = slice(first, first + BATCH)
            count = len(states[some])
            table = self._table(states[some])
            self._many.load_all({name: pad(column, BATCH) for name, column in table.items()})
            parts.append(_record(self._many, pad(moves[some], BATCH), count))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def run_table(self, starts: Sequence[Fields], actions: np.ndarray) -> Fields:
        """Play whole episodes from `starts[N]` under `actions[N, T]`; return a table `[N, T, …]`.

        Nothing resets: ignore the rows after an end.
        """
        env = self._create(len(starts))
        env.load_all(self._table(starts))
        # Frame by frame into rows of their own; time is the second axis of the result.
        frames = [_record(env, actions[:, t], len(starts)) for t in range(actions.shape[1])]
        return {name: np.stack([f[name] for f in frames], axis=1) for name in frames[0]}

    def _sample_table(self, state: Fields, action: Any, count: int, seed: int) -> Fields:
        """Take one step from the same state again and again, with chances of its own."""
        env = self._create(count)
        env.reset(_spread(seed, count))
        env.load_all(self._table([state] * count) | {RNG: env.state()[RNG]})
        return _record(env, np.repeat(np.asarray(action)[None], count, 0), count)

    @cached_property
    def _many(self) -> NativeVectorEnv:
        return self._create(BATCH)

    def _table(self, states: Sequence[Fields]) -> Fields:
        return stack([self._whole(state) for state in states])

    def _whole(self, state: Fields) -> Fields:
        """Complete a table with the start values of fields that it does not name."""
        return self._start | state


def open_native(name: str, target: str, /, **options: Any) -> NativeSimulator:
    """Open `envwright:NAME?backend=rust&…`."""
    return NativeSimulator(name, lambda lanes: make_native(target, lanes, **options))


def make_native(target: str, lanes: int, **options: Any) -> NativeVectorEnv:
    """Make a batch of a native room; the name must not set its size."""
    if "num_envs" in options:
        raise EnvwrightError("a simulator is one environment; leave num_envs out of its name")
    spec = find(target)
    room = load_attribute(spec.backends[options.get("backend") or spec.default_backend])
    if "threads" in inspect.signature(room).parameters:
        options = {"threads": 1} | options  # so few lanes are not worth more
    return make(target, num_envs=lanes, **options)


def _spread(seed: int, count: int) -> list[int]:
    """Return seeds over the whole range: a generator in a state is then like a used one."""
    return np.random.default_rng(seed).integers(SEED_LIMIT, size=count, dtype=np.uint64).tolist()


def _seen(obs: np.ndarray) -> Fields:
    """Return copies of observations: `obs`, or `obs.NAME` for each named part."""
    return flatten("obs", named_parts(obs))


def _record(env: NativeVectorEnv, actions: np.ndarray, count: int) -> Fields:
    """Return the outcome of a batch's step, for its first `count` lanes."""
    step = env.step_raw(actions)
    table = {
        **_seen(step.obs),
        "reward": step.reward,
        "terminated": step.terminated,
        "truncated": step.truncated & ~step.terminated,
        **as_state(env.state()),
    }
    return {name: np.array(column[:count]) for name, column in table.items()}
