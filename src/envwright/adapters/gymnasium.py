"""Gymnasium adapters: one environment, and a batch that resets in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, cast

import gymnasium
import jax
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envwright.adapters.episode import (
    Episode,
    check_actions,
    find_env,
    has_masks,
    keys_from_seeds,
    of_space,
    to_numpy,
)
from envwright.adapters.native_gymnasium import NativeGymnasiumVectorEnv
from envwright.core.env import Env, Step, is_one_key, select
from envwright.core.registry import is_native
from envwright.core.wrappers import AutoReset, EpisodeStatistics, Strategy, TimeLimit, has_picture
from envwright.errors import EnvwrightError

BATCH = 0x62617463  # separates the batch's stream from those of the lanes


class GymnasiumEnv(gymnasium.Env):
    """An environment for Gymnasium loops, by name or as an Env.

    `reset(seed=…)` determines everything that follows; `reset()` continues the same stream of
    random numbers. `reset(options={"params": …})` changes the parameters from then on, but not
    the spaces. In games with illegal actions, `info["action_mask"]` (int8, as `Discrete.sample`
    takes it) marks the legal ones.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self,
        name: str | Env,
        backend: str | None = None,
        render_mode: str | None = None,
        params: Any = None,
        **options: Any,
    ) -> None:
        self.env = _one_player(find_env(name, backend, **options))
        self.metadata = self.metadata | {"render_modes": _render_modes(self.env)}
        self.render_mode = _check_render_mode(self.env, render_mode)
        self.observation_space = self.env.observation_space(params).to_gymnasium()
        self.action_space = self.env.action_space(params).to_gymnasium()
        self._episode = Episode(self.env, params, read=_mask)
        self._actions = self.env.action_space(params)
        self._legal: np.ndarray | None = None

    @property
    def state(self) -> Any:
        """The state of the Env."""
        return self._episode.state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        first = self._episode.stream is None
        super().reset(seed=seed)
        if options and "params" in options:
            self._episode.params = options["params"]
        # Without a seed, Gymnasium draws one, so that np_random_seed repeats the run.
        obs, seen = self._episode.reset(self.np_random_seed if first else seed)
        return self._shown(obs), self._gym_info({}, seen)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._episode.over:
            raise ResetNeeded("no episode is running; call reset() first")
        after, seen = self._episode.step(check_actions(self._actions, action, self._legal))
        ended = bool(after.terminated), bool(after.truncated)
        reward = np.asarray(after.reward, np.float64)  # several goals have one each
        paid: Any = float(reward) if reward.ndim == 0 else reward
        return self._shown(after.obs), paid, *ended, self._gym_info(after.info, seen)

    def render(self) -> np.ndarray | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode; make it with 'rgb_array'")
            return None
        if self.state is None:
            raise ResetNeeded("there is no state to draw; call reset() first")
        return self.env.render(self.state)

    def _shown(self, obs: Any) -> Any:
        return of_space(self.observation_space, obs)

    def _gym_info(self, info: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
        """Return our info with Gymnasium's keys; an ended episode has no legal action."""
        told = to_numpy({k: v for k, v in info.items() if k != "final_observation"})
        self._legal = None
        if seen and not self._episode.over:
            self._legal = np.asarray(seen["action_mask"])
            told["action_mask"] = self._legal.astype(np.int8)
        return told


def make_vector_env(
    name: str | Env, num_envs: int = 1, backend: str | None = None, **options: Any
) -> VectorEnv:
    """Make a batch in JAX or in Rust, for `gymnasium.make_vec`."""
    if isinstance(name, str) and is_native(name, backend):
        return NativeGymnasiumVectorEnv.of(name, num_envs, backend, **options)
    return GymnasiumVectorEnv(name, num_envs, backend, **options)


class GymnasiumVectorEnv(VectorEnv):
    """A batch in one compiled program, with the interface of `SyncVectorEnv` in SAME_STEP mode.

    Lane i uses `seed[i]`, or `seed + i`. With `auto_reset="inline"`, every lane has its own stream
    of random numbers and equals a single `GymnasiumEnv` with that seed. `compact` and `pool` draw
    for the whole batch and are faster if starts are expensive.
    `reset(options={"reset_mask": bool[num_envs]})` resets only some lanes.
    """

    def __init__(
        self,
        name: str | Env,
        num_envs: int = 1,
        backend: str | None = None,
        render_mode: str | None = None,
        params: Any = None,
        auto_reset: Strategy = "inline",
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise EnvwrightError(f"num_envs must be at least 1, not {num_envs}")
        env = _one_player(find_env(name, backend, **options))
        self.env = _with_auto_reset(env, auto_reset, max_episode_steps)
        self.num_envs, self.params = num_envs, params
        self.metadata = {
            "autoreset_mode": AutoresetMode.SAME_STEP,
            "render_modes": _render_modes(env),
            "render_fps": GymnasiumEnv.metadata["render_fps"],
        }
        self.render_mode = _check_render_mode(env, render_mode)
        self._actions = env.action_space(params)
        self.single_observation_space = env.observation_space(params).to_gymnasium()
        self.single_action_space = self._actions.to_gymnasium()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._one_stream = auto_reset != "inline"
        self._streams: jax.Array | None = None  # key[B]
        self._batch_stream: jax.Array | None = None  # key[], where the batch has only one
        self.states: Any = None  # [B, …]
        self._obs: Any = None  # [B, …]
        self._seen: dict[str, jax.Array] = {}  # action_mask: bool[B, A]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        options = options or {}
        self.params = options.get("params", self.params)
        reset = _reset(self.env, self._seeded(seed), self.params)
        which = np.ones(self.num_envs, bool)
        if "reset_mask" in options:
            which = self._check_reset_mask(options["reset_mask"])
            reset = select(which, reset, (self._streams, self._obs, self.states, self._seen))
        self._streams, self._obs, self.states, self._seen = reset
        if self._batch_stream is None or seed is not None:
            self._batch_stream = jax.random.fold_in(reset[0][0], BATCH)
        return self._shown(self._obs), self._legal_infos(which)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        if self.states is None:
            raise ResetNeeded("no episode is running; call reset() first")
        masks = np.asarray(self._seen["action_mask"]) if self._seen else None
        actions = check_actions(self._actions, actions, masks, lanes=(self.num_envs,))
        stream = self._batch_stream if self._one_stream else self._streams
        stream, after, self._seen = _step(self.env, stream, self.states, actions, self.params)
        if self._one_stream:
            self._batch_stream = stream
        else:
            self._streams = stream
        self.states, self._obs = after.state, after.obs
        terminated, truncated = np.array(after.terminated), np.array(after.truncated)
        infos = self._gym_info(after.info, terminated | truncated)
        rewards = np.asarray(after.reward).astype(np.float64)
        return self._shown(after.obs), rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode; make it with 'rgb_array'")
            return None
        if self.states is None:
            raise ResetNeeded("there is no state to draw; call reset() first")
        states = jax.device_get(self.states)
        return tuple(self.env.render(_lane(states, lane)) for lane in range(self.num_envs))

    def _seeded(self, seed: int | Sequence[int | None] | None) -> jax.Array:
        """Return key[B]: new streams for the seeded lanes, or for all at the first reset."""
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        if seed is None and self._streams is not None:
            return self._streams
        if seed is None:
            seed = cast(int, self.np_random_seed)  # Gymnasium draws it
        if isinstance(seed, (int, np.integer)):
            seed = [int(seed) + lane for lane in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise EnvwrightError(f"{len(seed)} seeds were given for {self.num_envs} environments")
        seeded = np.array([s is not None for s in seed])
        drawn = [0] * self.num_envs
        if not seeded.all():
            drawn = self.np_random.integers(2**63, size=self.num_envs).tolist()
        fresh = keys_from_seeds(
            [int(d if s is None else s) for s, d in zip(seed, drawn, strict=True)]
        )
        return fresh if self._streams is None else select(seeded, fresh, self._streams)

    def _shown(self, obs: Any) -> Any:
        return of_space(self.observation_space, obs)

    def _gym_info(self, info: dict[str, Any], ended: np.ndarray) -> dict[str, Any]:
        """Return infos as `SyncVectorEnv` collects them, but for all lanes at once.

        The info of an episode's last step is in `final_info`. The rest is from the start that
        followed it and has only the legal actions.
        """
        told = jax.tree.map(np.array, {k: v for k, v in info.items() if k != "final_observation"})
        infos: dict[str, Any] = {}
        if ended.any():
            finals = of_space(self.observation_space, info["final_observation"])
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            for lane in np.flatnonzero(ended).tolist():
                infos["final_obs"][lane] = _lane(finals, lane)
            infos["_final_obs"] = ended.copy()
            infos["final_info"], infos["_final_info"] = _for_lanes(told, ended), ended.copy()
        everywhere = np.ones(self.num_envs, bool)
        return infos | _for_lanes(told, ~ended) | self._legal_infos(everywhere)

    def _legal_infos(self, lanes: np.ndarray) -> dict[str, Any]:
        masks = {name: np.asarray(mask).astype(np.int8) for name, mask in self._seen.items()}
        return _for_lanes(masks, lanes)

    def _check_reset_mask(self, mask: Any) -> np.ndarray:
        mask = np.asarray(mask)
        if (mask.shape, mask.dtype) != ((self.num_envs,), np.dtype(bool)) or not mask.any():
            raise EnvwrightError(f"reset_mask must be bool[{self.num_envs}] and true somewhere")
        if self.states is None:
            raise ResetNeeded("reset_mask resets some lanes; reset all of them first")
        return mask


@partial(jax.jit, static_argnums=0)
def _reset(env: Env, streams: jax.Array, params: Any) -> tuple[Any, Any, Any, Any]:
    streams, keys = _split(streams)
    obs, states = env.reset_batch(keys, params)
    return streams, obs, states, _masks(env, states)


@partial(jax.jit, static_argnums=0)
def _step(
    env: Env, stream: jax.Array, states: Any, actions: Any, params: Any
) -> tuple[Any, Step, Any]:
    stream, keys = _split(stream)
    after = env.step_batch(keys, states, actions, params)
    return stream, after, _masks(env, after.state)


def _split(stream: jax.Array) -> Any:
    """Return the next stream and the keys to use: one of each, or B of each."""
    if is_one_key(stream):
        return jax.random.split(stream)
    return jax.numpy.moveaxis(jax.vmap(jax.random.split)(stream), 1, 0)


def _mask(env: Env, state: Any) -> dict[str, jax.Array]:
    return {"action_mask": env.legal_actions(state)} if has_masks(env) else {}


def _masks(env: Env, states: Any) -> dict[str, jax.Array]:
    return jax.vmap(partial(_mask, env))(states)


@lru_cache(maxsize=64)
def _with_auto_reset(env: Env, strategy: Strategy, max_steps: int | None) -> Env:
    """Return the same object for the same arguments, so that it is compiled once."""
    if max_steps is not None:
        env = TimeLimit(env, max_steps)
    return env if isinstance(env, (AutoReset, EpisodeStatistics)) else AutoReset(env, strategy)


def _one_player(env: Env) -> Env:
    if env.num_players > 1:
        raise EnvwrightError(
            f"Gymnasium supports one player, and {env.name} has {env.num_players}; "
            "use envwright.adapters.pettingzoo.to_pettingzoo"
        )
    return env


def _render_modes(env: Env) -> list[str]:
    return ["rgb_array"] if has_picture(env) else []


def _check_render_mode(env: Env, mode: str | None) -> str | None:
    if mode is not None and mode not in _render_modes(env):
        can = "use 'rgb_array'" if has_picture(env) else "it has no picture"
        raise EnvwrightError(f"{env.name} has no render_mode {mode!r}; {can}")
    return mode


def _for_lanes(told: dict[str, Any], lanes: np.ndarray) -> dict[str, Any]:
    """Return values of some lanes, zero elsewhere, each with Gymnasium's mask."""
    infos: dict[str, Any] = {}
    for key, value in told.items() if lanes.any() else ():
        if isinstance(value, dict):
            infos[key] = _for_lanes(value, lanes)
        else:
            infos[key] = np.where(_as_column(lanes, value), value, np.zeros_like(value))
        infos[f"_{key}"] = lanes.copy()
    return infos


def _lane(tree: Any, lane: int) -> Any:
    return jax.tree.map(lambda x: x[lane], tree)


def _as_column(lanes: np.ndarray, value: np.ndarray) -> np.ndarray:
    return lanes.reshape(lanes.shape + (1,) * (value.ndim - 1))
