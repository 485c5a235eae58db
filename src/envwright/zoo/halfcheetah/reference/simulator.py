"""Gymnasium's HalfCheetah-v5 for verification: its state can be read and set."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError, MissingPackage
from envwright.sim.hosts import GymnasiumLanes
from envwright.sim.hosts.protocol import HostView
from envwright.sim.records import Fields, outcome
from envwright.sim.simulator import Simulator, table_of_starts
from envwright.sim.tape import Draw, RecordingGenerator, recording_seeds

PINNED = {"gymnasium": "1.3.0", "mujoco": "4.0.0"}


def make(**options: Any) -> Any:
    """Make the environment, with its time limit.

    MuJoCo's warnings are off: it would write them to a file in the working folder.
    """
    try:
        mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names

        mujoco.set_mju_user_warning(_ignore)
        return gymnasium.make("HalfCheetah-v5", disable_env_checker=True, **options)
    except (ImportError, gymnasium.error.DependencyNotInstalled) as error:
        raise MissingPackage(
            "the reference of halfcheetah needs MuJoCo; install envwright[reference]"
        ) from error


def _ignore(message: str) -> None:
    """Ignore warnings about an obsolete attribute, and about states that made MuJoCo restart."""


class CheetahReference(Simulator):
    """Gymnasium's HalfCheetah-v5.

    Its state is MuJoCo's position, velocity and warm start. `tolerance` is that of MuJoCo's solver,
    which stops early by default; with a smaller one it runs to convergence.
    """

    loads = observes = records_draws = True

    def __init__(self, tolerance: float | None = None, **options: Any) -> None:
        self.name = "Gymnasium's HalfCheetah-v5"
        self.tolerance, self.options = tolerance, options
        if tolerance is not None:
            self.name += f" (solver tolerance {tolerance:g})"
        self.env = self._made()
        self.model, self.data = self.env.unwrapped.model, self.env.unwrapped.data
        self.action_space = self.env.action_space
        self.observation_space = self.env.observation_space
        self._limit = _time_limit(self.env)
        self.time_limit = self._limit._max_episode_steps
        self.env.reset(seed=0)

    def lanes(self, num_envs: int) -> GymnasiumLanes:
        """Return many environments for the host loop of training."""
        return CheetahLanes(self._made, num_envs)

    def reset(self, seed: int) -> Fields:
        with recording_seeds():
            obs, _ = self.env.reset(seed=seed)
        return {"obs": obs, **self._named()}

    def step(self, action: Any) -> Fields:
        self._take_draws()
        taken = np.asarray(action, np.float32)
        obs, reward, terminated, truncated, _ = self.env.step(taken)
        return outcome(obs, reward, terminated, truncated, self.state())

    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._take_draws())

    def starts(self, seed: int, count: int) -> Fields:
        seeds = [seed] + [None] * (count - 1)
        return table_of_starts([{"obs": self.env.reset(seed=s)[0], **self._named()} for s in seeds])

    def state(self) -> Fields:
        return {
            "position": self.data.qpos.copy(),
            "velocity": self.data.qvel.copy(),
            "acceleration": self.data.qacc_warmstart.copy(),
            "time": np.asarray(self._limit._elapsed_steps),
        }

    def load(self, state: Fields) -> None:
        unknown = state.keys() - {"position", "velocity", "acceleration", "time"}
        if unknown:
            raise EnvwrightError(f"{self.name} has no {min(unknown)!r}")
        self.data.qpos[:] = state.get("position", 0.0)
        self.data.qvel[:] = state.get("velocity", 0.0)
        self.data.qacc_warmstart[:] = state.get("acceleration", 0.0)
        self._limit._elapsed_steps = int(state.get("time", 0))

    def observe(self) -> Fields:
        return {"obs": self.env.unwrapped._get_obs()}

    def close(self) -> None:
        self.env.close()

    def _made(self) -> Any:
        env = make(**self.options)
        if self.tolerance is not None:
            env.unwrapped.model.opt.tolerance = self.tolerance
        return env

    def _named(self) -> Fields:
        return {f"state.{name}": value for name, value in self.state().items()}

    def _take_draws(self) -> Sequence[Draw]:
        generator = self.env.unwrapped.np_random
        return generator.take() if isinstance(generator, RecordingGenerator) else ()


class CheetahLanes(GymnasiumLanes):
    """Environments whose episodes can be saved and continued.

    Gymnasium pickles a robot as its constructor's arguments, so that its state is lost. The inputs
    of a step are saved instead.
    """

    def snapshot(self) -> bytes | None:
        kept = [
            (
                *(part.copy() for part in _parts(env)),
                _time_limit(env)._elapsed_steps,
                env.unwrapped.np_random,
            )
            for env in self.envs
        ]
        return pickle.dumps((kept, self.obs))

    def restore(self, snapshot: bytes) -> HostView:
        kept, self.obs = pickle.loads(snapshot)
        for env, (position, velocity, acceleration, elapsed, random) in zip(
            self.envs, kept, strict=True
        ):
            env.reset(seed=0)  # Gymnasium would not step otherwise
            for part, value in zip(_parts(env), (position, velocity, acceleration), strict=True):
                part[:] = value
            _time_limit(env)._elapsed_steps = elapsed
            env.unwrapped.np_random = random
        return HostView(self.obs, self.legal)


def _parts(env: Any) -> tuple[np.ndarray, ...]:
    """Return views of MuJoCo's position, velocity and warm start."""
    data = env.unwrapped.data
    return data.qpos, data.qvel, data.qacc_warmstart


def _time_limit(env: Any) -> Any:
    while not isinstance(env, gymnasium.wrappers.TimeLimit):
        env = env.env
    return env
