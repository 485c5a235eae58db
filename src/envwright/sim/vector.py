"""Vector environments under test: many lanes, with a declared way to start over.

Their lanes' states are shown in the format of the single simulator of the same implementation, so
that a lane can be checked against it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import gymnasium
import numpy as np

from envwright.core.native import NativeVectorEnv, named_parts
from envwright.core.registry import is_native, make
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.gymnasium_env import GymnasiumSimulator, plain
from envwright.sim.native import make_native
from envwright.sim.records import Fields, flatten, row, unstack

Semantics = Literal["same_step", "next_step"]


@dataclass(frozen=True)
class VectorStep:
    """The outcome of a vector step: tables with one row per lane."""

    obs: Fields
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    final_obs: list[Fields | None]  # same_step: the observation that ended the lane's episode


class VectorSimulator:
    """Many lanes at once."""

    name: str
    lanes: int
    single_action_space: gymnasium.Space[Any]
    semantics: Semantics = "same_step"  # when an ended lane starts over
    forgets = True  # a reset overwrites everything, so that one instance serves every round

    def reset(self, seed: int) -> Fields:
        """Start all lanes; return a table of observations."""
        raise NotImplementedError

    def step(self, actions: np.ndarray) -> VectorStep:
        """Advance all lanes."""
        raise NotImplementedError

    def states(self) -> list[Fields] | None:
        """Return the lanes' states in the single simulator's format, or None if they are hidden."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what it holds."""


class GymnasiumVector(VectorSimulator):
    """`gymnasium.make_vec`: its own vector class where it has one, else SyncVectorEnv."""

    forgets = False  # a class may leave something behind, which the check finds

    def __init__(self, env_id: str, lanes: int, state_names: list[str], /, **options: Any) -> None:
        self.name, self.lanes = f"gymnasium:{env_id}", lanes
        try:
            self._env = gymnasium.make_vec(env_id, num_envs=lanes, **options)
        except (gymnasium.error.Error, TypeError) as error:
            raise EnvwrightError(f"gymnasium:{env_id}: {' '.join(str(error).split())}") from error
        self.single_action_space = self._env.single_action_space
        self.semantics = self._declared_semantics()
        self._state_names = state_names
        self._inner = [
            GymnasiumSimulator(env, self.name) for env in getattr(self._env.unwrapped, "envs", [])
        ]

    def reset(self, seed: int) -> Fields:
        return _obs_table(self._env.reset(seed=seed)[0])

    def step(self, actions: np.ndarray) -> VectorStep:
        obs, reward, terminated, truncated, info = self._env.step(actions)
        ended = np.asarray(info.get("_final_obs", np.zeros(self.lanes, bool)))
        finals: list[Fields | None] = [
            flatten("obs", plain(info["final_obs"][i])) if ended[i] else None
            for i in range(self.lanes)
        ]
        terminated = np.asarray(terminated)
        return VectorStep(
            _obs_table(obs),
            np.asarray(reward),
            terminated,
            np.asarray(truncated) & ~terminated,
            finals,
        )

    def states(self) -> list[Fields] | None:
        if self._inner:
            return [sim.state() for sim in self._inner] if self._inner[0].loads else None
        held = self._env.unwrapped.__dict__
        table: Fields = {}
        for name in self._state_names:
            source = "steps" if name == "time" and "time" not in held else name
            if source not in held:
                return None
            value = np.asarray(held[source])
            if self.lanes not in value.shape:
                return None
            if value.shape.count(self.lanes) > 1:
                raise EnvwrightError(
                    f"{self.name} keeps {name} in the shape {value.shape}, in which {self.lanes} "
                    "lanes look like an axis of the state; choose another --lanes"
                )
            # Some keep a lane per row, others (CartPoleVectorEnv) a lane per column.
            table[name] = np.moveaxis(value, value.shape.index(self.lanes), 0)
        return [{k: np.array(v[i]) for k, v in table.items()} for i in range(self.lanes)]

    def close(self) -> None:
        self._env.close()

    def _declared_semantics(self) -> Semantics:
        mode = self._env.metadata.get("autoreset_mode", gymnasium.vector.AutoresetMode.NEXT_STEP)
        declared = {
            gymnasium.vector.AutoresetMode.SAME_STEP: "same_step",
            gymnasium.vector.AutoresetMode.NEXT_STEP: "next_step",
        }
        if mode not in declared:
            raise EnvwrightError(f"{self.name} does not reset its lanes (autoreset mode {mode})")
        return declared[mode]  # type: ignore[return-value]


class FunctionalVector(VectorSimulator):
    """A batched JAX step that resets in the same step and keeps the final observation."""

    def __init__(
        self,
        name: str,
        lanes: int,
        action_space: Any,
        reset: Callable[..., Any],
        step: Callable[..., Any],
    ) -> None:
        import jax

        self.name, self.lanes, self.single_action_space = name, lanes, action_space
        self._reset, self._step = jax.jit(reset), jax.jit(step)

    def reset(self, seed: int) -> Fields:
        import jax

        self._key, k_reset = jax.random.split(jax.random.key(seed))
        obs, self._state = self._reset(jax.random.split(k_reset, self.lanes))
        return flatten("obs", jax.tree.map(np.asarray, obs))

    def step(self, actions: np.ndarray) -> VectorStep:
        import jax

        self._key, k_step = jax.random.split(self._key)
        keys = jax.random.split(k_step, self.lanes)
        whole = actions.dtype.kind in "iu"
        result = self._step(keys, self._state, actions.astype(np.int32) if whole else actions)
        obs, self._state, reward, terminated, truncated, info = result
        final = flatten("obs", jax.tree.map(np.asarray, info["final_observation"]))
        terminated, truncated = np.asarray(terminated), np.asarray(truncated)
        ended = terminated | truncated
        return VectorStep(
            flatten("obs", jax.tree.map(np.asarray, obs)),
            np.asarray(reward),
            terminated,
            truncated & ~terminated,
            [row(final, i) if ended[i] else None for i in range(self.lanes)],
        )

    def states(self) -> list[Fields] | None:
        from envwright.core.pytree import named_leaves
        from envwright.core.wrappers import Pooled

        state = self._state.states if isinstance(self._state, Pooled) else self._state
        return unstack(named_leaves(state))


class NativeVector(VectorSimulator):
    """A batch in Rust that resets in the same step and keeps the final observation."""

    def __init__(self, name: str, lanes: int, env: NativeVectorEnv) -> None:
        self.name, self.lanes, self._env = name, lanes, env
        self.single_action_space = env.action_space.to_gymnasium()

    def reset(self, seed: int) -> Fields:
        return flatten("obs", named_parts(self._env.reset(seed)))

    def step(self, actions: np.ndarray) -> VectorStep:
        step = self._env.step(actions)
        ended = step.terminated | step.truncated
        return VectorStep(
            flatten("obs", named_parts(step.obs)),
            step.reward.copy(),
            step.terminated.copy(),
            step.truncated & ~step.terminated,
            [_final(step.final_obs[i]) if ended[i] else None for i in range(self.lanes)],
        )

    def states(self) -> list[Fields] | None:
        return unstack(self._env.state())


def _final(obs: np.ndarray) -> Fields:
    return flatten("obs", named_parts(obs))


def open_vector(name: str, lanes: int, state_names: list[str]) -> VectorSimulator:
    """Open the vector form of a simulator: `gymnasium:ID`, `gymnax:ID` or `envwright:NAME`.

    `envwright:cartpole?auto_reset=pool` chooses the strategy of ours.
    """
    parsed = parse_name(name)
    scheme, target, options = parsed.scheme, parsed.target, parsed.options
    if scheme == "gymnasium":
        return GymnasiumVector(target, lanes, state_names, **options)
    if scheme == "envwright" and is_native(target, options.get("backend")):
        return NativeVector(name, lanes, make_native(target, lanes, **options))
    if scheme == "envwright":
        return _open_envwright(name, target, lanes, **options)
    if scheme == "gymnax":
        return _open_gymnax(name, target, lanes, **options)
    raise EnvwrightError(f"{name!r} has no vector form; use gymnasium:, gymnax: or envwright:")


def _open_envwright(
    name: str, target: str, lanes: int, auto_reset: Any = "inline", **options: Any
) -> VectorSimulator:
    from envwright.core.wrappers import AutoReset

    env = AutoReset(make(target, **options), auto_reset)
    space = env.action_space(env.default_params).to_gymnasium()
    return FunctionalVector(name, lanes, space, env.reset_batch, env.step_batch)


def _open_gymnax(name: str, target: str, lanes: int, **options: Any) -> VectorSimulator:
    import jax

    from envwright.sim.functional import gymnasium_space, make_gymnax

    env, params = make_gymnax(target, **options)
    return FunctionalVector(
        name,
        lanes,
        gymnasium_space(env.action_space(params)),
        reset=jax.vmap(partial(env.reset, params=params)),
        step=jax.vmap(partial(env.step, params=params)),
    )


def _obs_table(obs: Any) -> Fields:
    """Return batched observations, named like those of the single environment."""
    if isinstance(obs, tuple) and len(obs) > 1 and all(np.ndim(part) == 1 for part in obs):
        return {"obs": np.stack(obs, axis=-1)}  # a tuple of numbers is one vector there
    return flatten("obs", plain(obs))
