"""Gymnasium environments, stepped one after the other in a Python loop."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from envwright.core.limits import PYTHON_LANES, check_whole
from envwright.core.spaces import Discrete, from_gymnasium
from envwright.errors import EnvwrightError
from envwright.sim.hosts.protocol import HostStep, HostView


class GymnasiumLanes:
    """N copies of a Gymnasium environment.

    Legal actions are read from `info["action_mask"]` if an environment reports them.
    """

    def __init__(self, make: Callable[[], gymnasium.Env[Any, Any]], num_envs: int) -> None:
        check_whole("num_envs, times the seeds,", num_envs, 1, PYTHON_LANES)
        self.num_envs = num_envs
        self.envs = [make() for _ in range(num_envs)]
        self.obs_space = from_gymnasium(self.envs[0].observation_space)
        self.action_space = from_gymnasium(self.envs[0].action_space)
        if not isinstance(
            self.envs[0].observation_space, gymnasium.spaces.Box | gymnasium.spaces.Discrete
        ):
            raise EnvwrightError(
                "the host loop trains on Box and Discrete observations; wrap the environment "
                "with gymnasium.wrappers.FlattenObservation"
            )
        rows = (num_envs, *self.obs_space.shape)
        self.obs = np.zeros(rows, self.obs_space.dtype)
        self.final_obs = np.zeros(rows, self.obs_space.dtype)
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
            self.obs[lane], info = env.reset(seed=int(seed))
            self._note_legal(lane, info)
        return HostView(self.obs, self.legal)

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        # Python's own integers are checked faster than NumPy's.
        given = actions.tolist() if isinstance(self.action_space, Discrete) else actions
        lanes = range(self.num_envs) if active is None else np.flatnonzero(active).tolist()
        for lane in lanes:
            env = self.envs[lane]
            obs, reward, terminated, truncated, info = env.step(given[lane])
            if terminated or truncated:
                self.final_obs[lane] = obs
                obs, info = env.reset()
            self.obs[lane] = obs
            self.reward[lane] = reward
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

    def _note_legal(self, lane: int, info: dict[str, Any]) -> None:
        mask = info.get("action_mask")
        if mask is None:
            return
        if self.legal is None:
            self.legal = np.ones((self.num_envs, len(mask)), bool)
        self.legal[lane] = mask
