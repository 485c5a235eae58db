"""JAX environments: a whole bank of actions in one compiled scan."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.memory import pytree_bytes
from envwright.core.native import available_cores
from envwright.core.registry import make
from envwright.core.wrappers import AutoReset, Strategy
from envwright.sim.actions import SEED, action_bank


class Outcome(NamedTuple):
    """The outcome of a tick, for every lane."""

    obs: Any
    reward: jax.Array
    done: jax.Array


class Checksum(NamedTuple):
    """Sums over all lanes and ticks of a scan, so that the compiler may drop no work."""

    obs: jax.Array  # float32[]
    reward: jax.Array  # float32[]
    dones: jax.Array  # uint32[]

    def add(self, outcome: Outcome) -> Checksum:
        """Add one tick."""
        views = [jnp.sum(leaf, dtype=jnp.float32) for leaf in jax.tree.leaves(outcome.obs)]
        return Checksum(
            self.obs + sum(views),
            self.reward + jnp.sum(outcome.reward, dtype=jnp.float32),
            self.dones + jnp.sum(outcome.done, dtype=jnp.uint32),
        )


Tick = Callable[[jax.Array, Any, Any], tuple[Any, Outcome]]  # key, states[B], actions[B]


def scan_bank(
    tick: Tick, states: Any, key: jax.Array, bank: jax.Array
) -> tuple[Any, jax.Array, Checksum]:
    """Play the bank once, one key per tick; return states, the next key, and the checksum."""

    def body(carry: Any, actions: Any) -> Any:
        states, key, checksum = carry
        key, k_tick = jax.random.split(key)
        states, outcome = tick(k_tick, states, actions)
        return (states, key, checksum.add(outcome)), None

    nothing = Checksum(jnp.float32(0), jnp.float32(0), jnp.uint32(0))
    return lax.scan(body, (states, key, nothing), bank)[0]


class FusedLoop:
    """A compiled scan over a bank, played again and again."""

    def __init__(self, tick: Tick, states: Any, key: jax.Array, bank: np.ndarray) -> None:
        self.states, self.key, self.bank = states, key, jnp.asarray(bank)
        self.steps_in_bank = bank.shape[0] * bank.shape[1]
        self.checksum: Checksum | None = None
        began = time.perf_counter()
        play = jax.jit(partial(scan_bank, tick))
        self._play = play.lower(self.states, self.key, self.bank).compile()
        self.compile_seconds = time.perf_counter() - began

    def run(self, steps: int) -> int:
        """Play whole banks until at least so many steps are done."""
        banks = -(-steps // self.steps_in_bank)
        for _ in range(banks):
            self.states, self.key, self.checksum = self._play(self.states, self.key, self.bank)
        jax.block_until_ready((self.states, self.checksum))
        return banks * self.steps_in_bank

    def prepared(self) -> Prepared:
        """Compile and warm up."""
        return Prepared(self.run, self.compile_seconds)


class FusedRoom(Implementation):
    """One of our JAX environments: a batch in one scan, with auto-reset by a strategy."""

    role = Role.OURS

    def __init__(
        self, env: str, strategy: Strategy = "pool", name: str = "envwright-jax", **options: Any
    ) -> None:
        self.env, self.name, self.options = env, name, options
        self.strategy: Strategy = strategy
        self.timed = (
            f"step_batch inside one jitted lax.scan, AutoReset({strategy!r}), one key per tick; "
            "observations, rewards and dones summed in the scan"
        )

    @property
    def threads(self) -> int:
        return available_cores()  # XLA divides large kernels among them

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        return self.loop(batch).prepared()

    def bytes_per_env(self, batch: int) -> float:
        keys = jax.random.split(jax.random.key(SEED), batch)
        return pytree_bytes(jax.eval_shape(self._env().reset_batch, keys)) / batch

    def _env(self) -> AutoReset:
        return AutoReset(make(self.env, backend="jax", **self.options), self.strategy)

    def loop(self, batch: int) -> FusedLoop:
        """Return the loop that is timed."""
        env = self._env()
        k_reset, k_play = jax.random.split(jax.random.key(SEED))
        _, states = env.reset_batch(jax.random.split(k_reset, batch))

        def tick(key: jax.Array, states: Any, actions: Any) -> tuple[Any, Outcome]:
            step = env.step_batch(key, states, actions)
            return step.state, Outcome(step.obs, step.reward, step.done)

        return FusedLoop(tick, states, k_play, action_bank(env.action_space(), batch))
