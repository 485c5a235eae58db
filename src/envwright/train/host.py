"""The training loop of environments that are not JAX: they step on the host.

Network, losses and update are those of the fused loop; only the roll-out is played from
Python, and its observations travel to the device and the actions back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.pytree import pytree_dataclass
from envwright.sim.hosts import HostLanes, HostStep, HostView, players_of
from envwright.train.episodes import Finished, Running, count
from envwright.train.ppo import PPO, Agent, Choice, Rollout, View


@pytree_dataclass
class HostState:
    """The state of a run without the environments; with several seeds, they are the first axis."""

    agent: Agent
    starts: jax.Array  # bool[L]
    hidden: Any
    running: Running
    key: jax.Array


class Stopwatch:
    """A stopwatch for the parts of a loop; this one measures nothing."""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time of the block as `name`."""
        yield

    def settle(self, value: Any) -> Any:
        """Wait for `value` if time is measured."""
        return value


NO_WATCH = Stopwatch()


class Host:
    """Trains one agent for each seed on lanes that it steps from Python.

    With several seeds the lanes are divided among them, and everything of the agents has
    the seeds as its first axis.
    """

    def __init__(self, ppo: PPO, lanes: HostLanes, seeds: int = 1) -> None:
        self.ppo, self.lanes, self.seeds = ppo, lanes, seeds
        many = jax.vmap if seeds > 1 else lambda fn, in_axes=0: fn
        self._act = jax.jit(many(self._choose))
        self._value = jax.jit(many(ppo.value))
        self._learn = jax.jit(many(self._update), donate_argnums=0)
        self._init = jax.jit(many(self._fresh))
        self._view: HostView | None = None

    # --- what the runner calls ----------------------------------------------------------

    def init(self, keys: jax.Array, seeds: int | Sequence[int]) -> HostState:
        """Make new agents (keys and seeds: one, or one for each agent) in new episodes."""
        self._begin(seeds)
        return self._init(keys)

    def restarted(self, state: HostState, seeds: int | Sequence[int], number: int) -> HostState:
        """Put the same agents into new episodes, which are the same for the same numbers."""
        self._begin(seeds, number)
        fresh = jax.tree.map(jnp.zeros_like, (state.hidden, state.running))
        hidden, running = fresh
        return HostState(state.agent, jnp.ones_like(state.starts), hidden, running, state.key)

    def restore(self, snapshot: bytes) -> None:
        """Restore the environments."""
        self._view = self.lanes.restore(snapshot)

    def chunk(self, state: HostState, updates: int) -> tuple[HostState, tuple[Finished, dict]]:
        """Do several updates; return sums of episodes and means of losses."""
        state, told = self.iterate(state)
        for _ in range(updates - 1):
            state, metrics = self.iterate(state)
            told = jax.tree.map(jnp.add, told, metrics)
        finished, losses = told
        return state, (finished, jax.tree.map(lambda x: x / updates, losses))

    def iterate(
        self, state: HostState, watch: Stopwatch = NO_WATCH
    ) -> tuple[HostState, tuple[Finished, dict]]:
        """Do one update: collect a roll-out and learn from it."""
        played, rows, last = self.collect(state, watch)
        with watch.part("update"):
            return watch.settle(self._learn(played, rows, last))

    def collect(
        self, state: HostState, watch: Stopwatch = NO_WATCH
    ) -> tuple[HostState, tuple, tuple[View, Any, Any]]:
        """Continue play for a roll-out; return the state, the rows, and where it ended.

        The state is the given one with the next key; `_learn` uses it up.
        """
        assert self._view is not None, "call init first"
        agent, hidden, starts = state.agent, state.hidden, state.starts
        rows = []
        key = state.key
        view = self._to_device(self._view, watch)
        for _ in range(self.ppo.config.rollout):
            with watch.part("inference"):
                key, hidden, choice, played = watch.settle(
                    self._act(agent, hidden, view, starts, key)
                )
            with watch.part("transfer"):
                actions = np.asarray(played).reshape(
                    self.lanes.num_envs, *played.shape[self._lead :]
                )
            with watch.part("environment"):
                step = self.lanes.step(actions)
            following = self._to_device(step.view, watch)
            with watch.part("transfer"):
                reward = self._by_seed(step.reward.copy())
                done = self._by_seed(step.terminated | step.truncated)
            bootstrap = self._bootstrap(agent, hidden, step, watch)
            rows.append((view, choice, starts, reward, done, bootstrap))
            view, starts, self._view = following, done, step.view
        before = HostState(agent, state.starts, state.hidden, state.running, key)
        return before, tuple(rows), (view, hidden, starts)

    # --- parts that are compiled --------------------------------------------------------

    def _fresh(self, key: jax.Array) -> HostState:
        k_agent, k_run = jax.random.split(key)
        lanes = self.lanes.num_envs // self.seeds
        hidden = self.ppo.first_hidden(lanes)
        starts = jnp.ones(lanes, bool)
        return HostState(self.ppo.init(k_agent), starts, hidden, Running.none(lanes), k_run)

    def _choose(
        self, agent: Agent, hidden: Any, view: View, starts: jax.Array, key: jax.Array
    ) -> tuple[jax.Array, Any, Choice, jax.Array]:
        key, k_act = jax.random.split(key)
        hidden, choice = self.ppo.act(agent, hidden, view, starts, k_act)
        return key, hidden, choice, self.ppo.for_environment(choice.action)

    def _update(self, state: HostState, rows: tuple, last: tuple) -> Any:
        view, hidden, starts = last
        views, choices, begins, rewards, dones, bootstraps = jax.tree.map(
            lambda *x: jnp.stack(x), *rows
        )
        running, finished, discounted = self._count(state.running, rewards, dones)
        rollout = Rollout(views, choices, begins, rewards, dones, bootstraps, discounted)
        key, k_learn = jax.random.split(state.key)
        last_value = self.ppo.value(state.agent, hidden, view.obs, starts)
        agent, losses = self.ppo.learn(state.agent, state.hidden, rollout, last_value, k_learn)
        return HostState(agent, starts, hidden, running, key), (finished, losses)

    def _count(self, running: Running, rewards: jax.Array, dones: jax.Array) -> tuple:
        def step(carry: Any, row: Any) -> Any:
            running, finished = carry
            reward, done = row
            running, ended, discounted = count(
                running, reward, done, self.ppo.config.gamma, players_of(self.lanes)
            )
            return (running, finished + ended), discounted

        start = (running, Finished.none())
        (running, finished), discounted = jax.lax.scan(step, start, (rewards, dones))
        return running, finished, discounted

    # --- between host and device --------------------------------------------------------

    def _begin(self, seeds: int | Sequence[int], *number: int) -> None:
        """Start every agent's environments from its own seed, independent of the other agents."""
        lanes = self.lanes.num_envs // self.seeds
        spread = [
            np.random.SeedSequence((seed, *number)).generate_state(lanes)
            for seed in ([seeds] if isinstance(seeds, int) else seeds)
        ]
        self._view = self.lanes.reset([int(seed) for seed in np.concatenate(spread)])

    @property
    def _lead(self) -> int:
        return 2 if self.seeds > 1 else 1

    def _by_seed(self, array: np.ndarray) -> np.ndarray:
        """Reshape `[lanes, …]` to `[seeds, lanes of a seed, …]`, if there are several seeds."""
        return array if self.seeds == 1 else array.reshape(self.seeds, -1, *array.shape[1:])

    def _to_device(self, view: HostView, watch: Stopwatch) -> View:
        with watch.part("transfer"):
            # Copied first: the environment overwrites its buffers, and JAX may share memory.
            seen = jax.tree.map(lambda x: self._by_seed(np.array(x)), tuple(view))
            return watch.settle(jax.tree.map(jnp.asarray, View(*seen)))

    def _bootstrap(self, agent: Agent, hidden: Any, step: HostStep, watch: Stopwatch) -> np.ndarray:
        truncated = self._by_seed(step.truncated)
        if not truncated.any():
            return np.zeros(truncated.shape, np.float32)
        with watch.part("transfer"):
            final = jax.tree.map(lambda x: self._by_seed(np.array(x)), step.final_obs)
        with watch.part("inference"):
            value = self._value(agent, hidden, final, np.zeros_like(truncated))
            return np.where(truncated, np.asarray(value), np.float32(0))
