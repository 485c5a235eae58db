"""Gymnasium environments, stepped one after the other in a Python loop."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from envwright.core.limits import PYTHON_LANES, check_whole
from envwright.core.spaces import Discrete, from_gymnasium
from envwright.sim.action_rows import is_compound, unflatten_action
from envwright.sim.hosts.buffers import buffers, one_reward, put
from envwright.sim.hosts.protocol import HostStep, HostView
from envwright.sim.texts import Texts


class GymnasiumLanes:
    """N copies of a Gymnasium environment.

    Legal actions are read from `info["action_mask"]` if an environment reports them.
    """

    def __init__(self, make: Callable[[], gymnasium.Env[Any, Any]], num_envs: int) -> None:
        check_whole("num_envs, times the seeds,", num_envs, 1, PYTHON_LANES)
        self.num_envs = num_envs
        self.envs = [make() for _ in range(num_envs)]
        self._texts = Texts(self.envs[0].observation_space, "the environment")
        self.obs_space = from_gymnasium(self._texts.space)
        self._actions = self.envs[0].action_space
        self.action_space = from_gymnasium(self._actions)
        self.obs = buffers(self.obs_space, num_envs)
        self.final_obs = buffers(self.obs_space, num_envs)
        self.reward = np.zeros(num_envs, np.float32)
        self.terminated = np.zeros(num_envs, bool)
        self.truncated = np.zeros(num_envs, bool)
        self.legal: np.ndarray | None = None

    @classmethod
    def of(cls, name: str, num_envs: int, **options: Any) -> GymnasiumLanes:
        """Make lanes from a Gymnasium id."""
        return cls(lambda: gymnasium.make(name, disable_env_checker=True, **options), num_envs)

    def reset(self, seeds: Sequence[int]) -> HostView:
        for lane, (env, seed) in enumerate(zip(self.envs, seeds, strict=True)):
            obs, info = env.reset(seed=int(seed))
            put(self.obs, lane, self._texts.without(obs))
            self._note_legal(lane, info)
        return HostView(self.obs, self.legal)

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        given = self._given(actions)
        lanes = range(self.num_envs) if active is None else np.flatnonzero(active).tolist()
        for lane in lanes:
            env = self.envs[lane]
            obs, reward, terminated, truncated, info = env.step(given[lane])
            if terminated or truncated:
                put(self.final_obs, lane, self._texts.without(obs))
                obs, info = env.reset()
            put(self.obs, lane, self._texts.without(obs))
            self.reward[lane] = one_reward(reward)
            self.terminated[lane] = terminated
            # Gymnasium's TimeLimit sets both at the last step; such an end is a termination.
            self.truncated[lane] = truncated and not terminated
            self._note_legal(lane, info)
        view = HostView(self.obs, self.legal)
        return HostStep(view, self.reward, self.terminated, self.truncated, self.final_obs)

    def snapshot(self) -> bytes | None:
        # These are pickled as their constructor's arguments: their state would be lost.
        if any(isinstance(env.unwrapped, gymnasium.utils.EzPickle) for env in self.envs):
            return None
        try:
            return pickle.dumps((self.envs, self.obs, self.legal))
        except Exception:  # a foreign simulator may raise anything
            return None

    def restore(self, snapshot: bytes) -> HostView:
        self.envs, self.obs, self.legal = pickle.loads(snapshot)
        return HostView(self.obs, self.legal)

    def close(self) -> None:
        for env in self.envs:
            env.close()

    def _given(self, actions: np.ndarray) -> Any:
        """Return the actions of all lanes as the environment takes them."""
        if isinstance(self.action_space, Discrete):
            return actions.tolist()  # Python's own integers are checked faster than NumPy's
        if is_compound(self._actions):
            return [unflatten_action(row, self._actions) for row in actions]
        return actions

    def _note_legal(self, lane: int, info: dict[str, Any]) -> None:
        mask = info.get("action_mask")
        if mask is None:
            return
        if self.legal is None:
            self.legal = np.ones((self.num_envs, len(mask)), bool)
        self.legal[lane] = mask
