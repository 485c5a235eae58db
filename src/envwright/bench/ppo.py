"""PPO with a small network on an environment: fused for JAX, from the host for the others.

Kind `rollout`: the policy acts and the transitions are stored. Kind `ppo`: the same, and the
update. Algorithm, network and settings are one for all; only the environment differs, and
with it where the loop runs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.memory import growth_per_item, pytree_bytes
from envwright.bench.parts import FusedParts, HostParts
from envwright.core.native import available_cores
from envwright.core.registry import make
from envwright.sim.actions import SEED
from envwright.sim.hosts import GymnasiumLanes, HostLanes, NativeLanes
from envwright.train.config import PPOConfig
from envwright.train.fused import Fused, FusedState, Play
from envwright.train.host import Host
from envwright.train.jax_lanes import JaxLanes
from envwright.train.ppo import PPO, Agent

ROLLOUT = 32
NETWORK = "64x64"
GRU: dict[str, Any] = {"network": "576", "memory": 576}  # 2M parameters for a handful of inputs
GRU_KINDS = (Kind.ROLLOUT_GRU, Kind.PPO_GRU)
# Every update is computed and applied, yet the policy stays as it began. Else whoever does
# more updates in the same time would have longer episodes, and be timed on fewer restarts.
STANDSTILL = 1e-9
HOST_MOST = 2048  # single environments in a Python loop: an iteration of more takes seconds


def bench_config(
    batch: int, rollout: int = ROLLOUT, network: str = NETWORK, memory: int = 0
) -> PPOConfig:
    """Return the settings of PPO that are timed, with `batch` environments."""
    return PPOConfig(
        num_envs=batch,
        rollout=rollout,
        network=network,
        memory=memory,
        learning_rate=STANDSTILL,
        anneal=False,
    )


def ppo_settings(**network: Any) -> dict[str, Any]:
    """Describe the PPO that was timed, with some `network`, for the reader of a result."""
    config = bench_config(batch=4, **network).to_json()
    names = ("rollout", "epochs", "minibatches", "network", "memory", "learning_rate")
    return {
        **{name: config[name] for name in names},
        "num_envs": "the batch",
        "policy": "stays as it began, so that all are timed on episodes of the same length: "
        "updates are computed and applied with a learning rate of almost nothing",
    }


class TrainedByPPO(Implementation):
    """Runs roll-outs and whole iterations of PPO; `parts` takes an iteration apart.

    With `gru` the network is a recurrent one of 2M parameters; else a small perceptron, unless
    `network` names another.
    """

    def __init__(self, gru: bool = False, network: str = NETWORK) -> None:
        self.gru = gru
        self.kinds = GRU_KINDS if gru else (Kind.ROLLOUT, Kind.PPO)
        self.network: dict[str, Any] = GRU if gru else {"network": network}

    def config(self, batch: int) -> PPOConfig:
        """Return the settings that are timed with so many environments."""
        return bench_config(batch, **self.network)

    @property
    def threads(self) -> int:
        return available_cores()  # XLA divides large kernels of the network among them

    def parts(self, config: PPOConfig) -> FusedParts | HostParts:
        """Return an iteration whose parts can be timed one by one."""
        raise NotImplementedError


class FusedPPO(TrainedByPPO):
    """One of our JAX environments inside the compiled training loop."""

    role = Role.OURS
    timed = (
        "one compiled program per roll-out: rollout is Fused.collect, with the roll-out as its "
        "result; ppo is Fused.iterate; AutoReset('pool'), unless the game restarts by itself"
    )

    def __init__(
        self, env: str, gru: bool = False, name: str = "envwright-jax", **options: Any
    ) -> None:
        super().__init__(gru)
        self.env, self.name, self.options = env, name, options

    def lanes(self, batch: int) -> JaxLanes:
        """The environments."""
        return JaxLanes(make(self.env, backend="jax", **self.options), batch)

    def fused(self, config: PPOConfig) -> Fused:
        """The training loop around them."""
        lanes = self.lanes(config.num_envs)
        return Fused(PPO(config, lanes.obs_space, lanes.action_space), lanes)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        loop = FusedTraining(self.fused(self.config(batch)), kind)
        return Prepared(loop.run, loop.compile_seconds)

    def parts(self, config: PPOConfig) -> FusedParts:
        return FusedParts(self.fused(config))

    def bytes_per_env(self, batch: int) -> float:
        shapes = jax.eval_shape(self.lanes(batch).reset, jax.random.key(SEED))
        return pytree_bytes(shapes) / batch


class GymnaxPPO(FusedPPO):
    """gymnax's environment inside our compiled training loop."""

    role = Role.PEER
    timed = (
        "our fused PPO around vmap(env.step) of gymnax, with its own restarts and one key per "
        "lane and tick as it requires"
    )

    def __init__(self, id: str) -> None:
        super().__init__(id, name="gymnax")
        self.id = id

    def lanes(self, batch: int) -> JaxLanes:
        from envwright.bench.gymnax_env import GymnaxEnv

        return JaxLanes(GymnaxEnv(self.id), batch, strategy="inline")


class HostPPO(TrainedByPPO):
    """Gymnasium's single environments in a Python loop, network and update compiled."""

    name = "gymnasium"
    role = Role.REFERENCE
    timed = (
        "host loop over `batch` single environments: rollout is Host.collect, ppo is "
        f"Host.iterate; at most {HOST_MOST} environments"
    )
    counted = 1000  # environments made to measure the memory of one
    most: float = HOST_MOST

    def __init__(self, id: str, gru: bool = False, network: str = NETWORK) -> None:
        super().__init__(gru, network)
        self.id = id

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= self.most)

    def lanes(self, batch: int) -> HostLanes:
        """The environments."""
        return GymnasiumLanes.of(self.id, batch)

    def host(self, config: PPOConfig) -> Host:
        """The training loop around them."""
        lanes = self.lanes(config.num_envs)
        return Host(PPO(config, lanes.obs_space, lanes.action_space), lanes)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        loop = HostTraining(self.host(self.config(batch)), kind)
        return Prepared(loop.run, loop.compile_seconds, loop.host.lanes.close)

    def parts(self, config: PPOConfig) -> HostParts:
        return HostParts(self.host(config))

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._reset_lanes, self.counted)

    def _reset_lanes(self, count: int) -> HostLanes:
        lanes = self.lanes(count)
        lanes.reset(list(range(count)))
        return lanes


class VectorPPO(HostPPO):
    """Gymnasium's vectorised class of an environment in the host loop."""

    name = "gymnasium-vector"
    role = Role.PEER
    timed = (
        "host loop over the class behind make_vec(…, vectorization_mode='vector_entry_point'); "
        "the tick after an episode is its reset, and is counted and learnt from like a step"
    )
    counted, most = 2**18, math.inf

    def lanes(self, batch: int) -> HostLanes:
        from envwright.sim.hosts.vector_lanes import VectorLanes

        return VectorLanes(self.id, batch)


class NativePPO(HostPPO):
    """One of our Rust environments in the host loop."""

    name = "envwright-rust"
    role = Role.OURS
    timed = (
        "host loop over NativeVectorEnv.step on all cores: rollout is Host.collect, ppo is "
        "Host.iterate"
    )
    counted, most = 2**16, math.inf

    def __init__(self, env: str, gru: bool = False, network: str = NETWORK, **options: Any) -> None:
        super().__init__(env, gru, network)
        self.options = options

    def lanes(self, batch: int) -> HostLanes:
        env = make(self.id, backend="rust", num_envs=batch, **self.options)
        return NativeLanes(env, env.observation_space, env.action_space)


class Training:
    """A roll-out or iteration, done again and again."""

    steps: int  # steps of one roll-out
    state: Any
    rows: Any = None  # rows of the last roll-out
    _once: Callable[[], None]

    def run(self, steps: int) -> int:
        """Run whole roll-outs until at least so many steps are done."""
        times = -(-steps // self.steps)
        for _ in range(times):
            self._once()
        jax.block_until_ready((self.state, self.rows))
        return times * self.steps


class FusedTraining(Training):
    """A compiled roll-out or iteration."""

    def __init__(self, fused: Fused, kind: Kind) -> None:
        self.fused, self.steps = fused, fused.ppo.config.batch
        self.state = jax.jit(fused.init)(jax.random.key(SEED))
        began = time.perf_counter()
        if kind in (Kind.PPO, Kind.PPO_GRU):
            iterate = jax.jit(fused.iterate, donate_argnums=0)
            self._compiled: Any = iterate.lower(self.state).compile()
            self._once = self._iterate
        else:
            collect = jax.jit(self._play_on, donate_argnums=1)
            state = self.state
            self._compiled = collect.lower(state.agent, state.play, state.key).compile()
            self._once = self._collect
        self.compile_seconds = time.perf_counter() - began

    def _iterate(self) -> None:
        self.state, _ = self._compiled(self.state)

    def _collect(self) -> None:
        agent = self.state.agent
        play, key, self.rows = self._compiled(agent, self.state.play, self.state.key)
        self.state = FusedState(agent, play, key)

    def _play_on(self, agent: Agent, play: Play, key: jax.Array) -> Any:
        key, k_play = jax.random.split(key)
        play, rollout, _ = self.fused.collect(agent, play, k_play)
        return play, key, rollout


class HostTraining(Training):
    """A roll-out or iteration from the host."""

    def __init__(self, host: Host, kind: Kind) -> None:
        self.host, self.steps = host, host.ppo.config.batch
        self._once = self._iterate if kind in (Kind.PPO, Kind.PPO_GRU) else self._collect
        self.state = host.init(jax.random.key(SEED), SEED)
        # The host loop compiles when it is first called, so the first call less the second.
        first, second = (self._seconds() for _ in range(2))
        self.compile_seconds = max(0.0, first - second)

    def _iterate(self) -> None:
        self.state, _ = self.host.iterate(self.state)

    def _collect(self) -> None:
        state, self.rows, (_, hidden, starts) = self.host.collect(self.state)
        self.state = replace(state, hidden=hidden, starts=starts)

    def _seconds(self) -> float:
        began = time.perf_counter()
        self.run(1)
        return time.perf_counter() - began
