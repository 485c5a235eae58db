"""Other libraries' implementations of an environment, each run the way its users run it."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import numpy as np

from envwright.bench.implementation import Implementation, Kind, Prepared, Role, stepping
from envwright.bench.memory import growth_per_item, pytree_bytes
from envwright.core.native import available_cores
from envwright.core.spaces import Space
from envwright.sim.actions import SEED, action_bank


class GymnasiumLoop(Implementation):
    """`gymnasium.make`, one environment, a Python loop."""

    name = "gymnasium"
    timed = "env.step in a Python loop, env.reset where an episode ends; batch 1"

    def __init__(self, id: Any, actions: Space, role: Role = Role.REFERENCE) -> None:
        self.id, self.actions, self.role = id, actions, role

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return (1,)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        import gymnasium

        env = gymnasium.make(self.id)
        env.reset(seed=SEED)
        bank = action_bank(self.actions, batch)[:, 0]
        # Python integers, which Gymnasium checks faster than NumPy's.
        endless = cycle(bank.tolist() if bank.ndim == 1 else bank)

        def run(steps: int) -> int:
            for action in islice(endless, steps):
                _, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()
            return steps

        return Prepared(run, close=env.close)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._make_many, 1000)

    def _make_many(self, count: int) -> list[Any]:
        import gymnasium

        envs = [gymnasium.make(self.id) for _ in range(count)]
        for env in envs:
            env.reset(seed=SEED)
        return envs


class GymnasiumVector(Implementation):
    """Gymnasium's own vectorised class of an environment, where it has one."""

    name = "gymnasium-vector"
    role = Role.PEER
    timed = (
        "env.step of the class behind make_vec(…, vectorization_mode='vector_entry_point') in a "
        "Python loop; the tick after an episode is its reset and counts as a step"
    )

    def __init__(self, id: str, actions: Space) -> None:
        self.id, self.actions = id, actions

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        env = self._make(batch)
        bank = action_bank(self.actions, batch)
        if bank.dtype.kind in "iu":
            bank = bank.astype(np.int64)  # the dtype of its action space
        return Prepared(stepping(env, bank, batch), close=env.close)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._make, 2**18)

    def _make(self, lanes: int) -> Any:
        import gymnasium

        env = gymnasium.make_vec(self.id, num_envs=lanes, vectorization_mode="vector_entry_point")
        env.reset(seed=SEED)
        return env


class GymnaxScan(Implementation):
    """gymnax: vmap over lanes inside a scan, as its documentation shows."""

    name = "gymnax"
    role = Role.PEER
    timed = (
        "vmap(env.step) inside one jitted lax.scan, one key per lane and tick as it requires; "
        "observations, rewards and dones summed in the scan"
    )

    def __init__(self, id: str, actions: Space) -> None:
        self.id, self.actions = id, actions

    @property
    def threads(self) -> int:
        return available_cores()

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        import gymnax
        import jax
        import jax.numpy as jnp

        from envwright.bench.fused import FusedLoop, Outcome

        env, params = gymnax.make(self.id)
        k_reset, k_play = jax.random.split(jax.random.key(SEED))
        reset, step = jax.vmap(env.reset, (0, None)), jax.vmap(env.step, (0, 0, 0, None))
        _, states = reset(jax.random.split(k_reset, batch), params)

        def tick(key: Any, states: Any, actions: Any) -> tuple[Any, Outcome]:
            keys = jax.random.split(key, batch)
            obs, states, reward, terminated, truncated, _ = step(keys, states, actions, params)
            return states, Outcome(obs, reward, terminated | truncated)

        bank = action_bank(self.actions, batch)
        return FusedLoop(tick, jax.tree.map(jnp.asarray, states), k_play, bank).prepared()

    def bytes_per_env(self, batch: int) -> float:
        import gymnax
        import jax

        env, params = gymnax.make(self.id)
        keys = jax.random.split(jax.random.key(SEED), batch)
        return pytree_bytes(jax.eval_shape(jax.vmap(env.reset, (0, None)), keys, params)) / batch
