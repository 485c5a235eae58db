"""Runners: one interface to training runs, whatever their environments are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np
from jax.sharding import Mesh

from envwright.core.env import Env
from envwright.errors import EnvwrightError
from envwright.sim.hosts import HostLanes
from envwright.train.config import PPOConfig
from envwright.train.devices import check_divides, divided, everywhere
from envwright.train.fused import Fused, FusedState, run_chunk
from envwright.train.host import Host
from envwright.train.jax_lanes import JaxLanes
from envwright.train.memory import check_training_fits
from envwright.train.networks import count_parameters
from envwright.train.ppo import PPO, Agent


class Metrics(NamedTuple):
    """Metrics of some updates; one number for each seed."""

    episodes: np.ndarray  # int[S]
    returns: np.ndarray  # float[S], mean over the episodes, NaN without any
    lengths: np.ndarray  # float[S]
    losses: dict[str, np.ndarray]  # float[S] each


class Runner(Protocol):
    """A run in chunks of updates."""

    ppo: PPO
    seeds: int

    def init(self) -> Any:
        """Return the state before the first update: a pytree of arrays."""
        ...

    def chunk(self, state: Any, updates: int, number: int) -> tuple[Any, Metrics]:
        """Do some updates; this is chunk `number` of the run. The given state is used up."""
        ...

    def agent(self, state: Any) -> Agent:
        """Return the trained parameters, always with seeds as the first axis."""
        ...

    def environment(self) -> bytes | None:
        """Return a snapshot of the environments, if they are not part of the state."""
        ...

    def restore_environment(self, snapshot: bytes | None, number: int) -> None:
        """Restore the environments to where they were before chunk `number`."""
        ...

    def close(self) -> None:
        """Release what the environments hold."""
        ...


class FusedRunner:
    """Runs JAX environments, divided over the devices."""

    def __init__(
        self, env: Env, config: PPOConfig, seeds: Sequence[int], mesh: Mesh | None = None
    ) -> None:
        lanes = JaxLanes(env, config.num_envs)
        check_training_fits(config, lanes.obs_space, len(seeds))
        self.ppo = PPO(config, lanes.obs_space, lanes.action_space)
        self.fused = Fused(self.ppo, lanes)
        self.keys, self.seeds = seed_keys(seeds), len(seeds)
        many: Callable = jax.vmap if self.seeds > 1 else lambda fn: fn
        placed: dict[str, Any] = {"init": {}, "chunk": {}}
        if mesh is not None:
            check_divides(config.num_envs, mesh)
            copies = everywhere(mesh)
            whole = FusedState(copies, divided(mesh, int(self.seeds > 1)), copies)  # type: ignore[arg-type]
            placed = {
                "init": {"out_shardings": whole},
                "chunk": {"out_shardings": (whole, copies)},
            }
        self._init = jax.jit(many(self.fused.init), **placed["init"])
        # Jitted as well, so that chunks, of whatever length, trace it once.
        chunk = partial(run_chunk, jax.jit(many(self.fused.iterate)))
        self._chunk = jax.jit(chunk, static_argnums=1, donate_argnums=0, **placed["chunk"])

    def init(self) -> FusedState:
        return self._init(self.keys if self.seeds > 1 else self.keys[0])

    def chunk(self, state: FusedState, updates: int, number: int) -> tuple[FusedState, Metrics]:
        state, told = self._chunk(state, updates)
        return state, reduced(told)

    def agent(self, state: FusedState) -> Agent:
        return with_seed_axis(state.agent, self.seeds)

    def environment(self) -> None:
        return None  # it is part of the state

    def restore_environment(self, snapshot: bytes | None, number: int) -> None:
        return None

    def close(self) -> None:
        return None


class HostRunner:
    """Runs environments that step on the host.

    Those that cannot be saved begin new episodes at every chunk, so that a resumed run equals an
    uninterrupted one.
    """

    def __init__(
        self, make_lanes: Callable[[int], HostLanes], config: PPOConfig, seeds: Sequence[int]
    ) -> None:
        self.lanes = make_lanes(config.num_envs * len(seeds))
        try:
            check_training_fits(config, self.lanes.obs_space, len(seeds))
        except EnvwrightError:
            self.lanes.close()
            raise
        self.ppo = PPO(config, self.lanes.obs_space, self.lanes.action_space)
        self.host = Host(self.ppo, self.lanes, len(seeds))
        self.keys, self.seeds, self.starts = seed_keys(seeds), len(seeds), tuple(seeds)
        self.saves = True

    def init(self) -> Any:
        state = self.host.init(self.keys if self.seeds > 1 else self.keys[0], self.starts)
        self.saves = self.lanes.snapshot() is not None
        return state

    def chunk(self, state: Any, updates: int, number: int) -> tuple[Any, Metrics]:
        if not self.saves and number > 0:
            state = self.host.restarted(state, self.starts, number)
        state, told = self.host.chunk(state, updates)
        return state, reduced(told)

    def agent(self, state: Any) -> Agent:
        return with_seed_axis(state.agent, self.seeds)

    def environment(self) -> bytes | None:
        return self.lanes.snapshot()

    def restore_environment(self, snapshot: bytes | None, number: int) -> None:
        if snapshot is not None:
            self.host.restore(snapshot)

    def close(self) -> None:
        self.lanes.close()


def seed_keys(seeds: Sequence[int]) -> jax.Array:
    """Return a key for each seed, key[S]."""
    return jax.vmap(jax.random.key)(np.asarray(seeds, np.uint32))


def with_seed_axis(agent: Agent, seeds: int) -> Agent:
    """Add the axis of seeds to every leaf, `[S, …]`, also for one seed."""
    # On the host: only the first process calls this, and none may compute on devices alone.
    leaves = jax.tree.map(np.asarray, agent)
    return leaves if seeds > 1 else jax.tree.map(lambda x: x[None], leaves)


def reduced(told: Any) -> Metrics:
    """Return sums and means on the device as numbers of the host."""
    finished, losses = jax.tree.map(lambda x: np.atleast_1d(np.asarray(x)), told)
    with np.errstate(invalid="ignore"):
        returns, lengths = finished.total / finished.episodes, finished.length / finished.episodes
    return Metrics(finished.episodes, returns, lengths, losses)


def parameters(ppo: PPO) -> int:
    """Return the number of parameters."""
    return count_parameters(ppo.network, ppo.obs_space)
