"""MuJoCo's own loop over many environments, in C."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.core.spaces import Space
from envwright.sim.actions import SEED, action_bank

TICKS = 20  # of a call: some milliseconds for each environment


class MujocoRollout(Implementation):
    """`mujoco.rollout` on the model of a Gymnasium environment."""

    role = Role.REFERENCE
    timed = (
        "mujoco.rollout, 20 steps to a call, physics only: no reward, no observation, no reset, "
        "float64 as always"
    )

    def __init__(self, id: str, actions: Space, cores: int | None = None) -> None:
        self.id, self.actions, self._cores = id, actions, cores
        self.name = "mujoco-rollout" if cores is None else f"mujoco-rollout-{cores}"
        self.role = Role.REFERENCE if cores is None else Role.PEER

    @property
    def threads(self) -> int:
        return self._cores or available_cores()

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names
        from mujoco.rollout import Rollout

        model, skip = self._model()
        bank = np.swapaxes(action_bank(self.actions, batch)[:TICKS], 0, 1)
        controls = np.repeat(bank, skip, axis=1).astype(np.float64)
        data = [mujoco.MjData(model) for _ in range(self.threads)]
        states = self._starts(model, batch)
        room = np.empty((batch, controls.shape[1], states.shape[1]))
        rollout = Rollout(nthread=self.threads)

        def run(steps: int) -> int:
            nonlocal states
            calls = -(-steps // (batch * TICKS))
            for _ in range(calls):
                rollout.rollout(model, data, states, controls, state=room)
                states = room[:, -1].copy()
            return calls * batch * TICKS

        return Prepared(run, close=rollout.close)

    def _model(self) -> tuple[Any, int]:
        """Return the model that Gymnasium compiles, and its timesteps per step."""
        import gymnasium

        mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names

        mujoco.set_mju_user_warning(lambda message: None)  # about an obsolete attribute in its file
        env = gymnasium.make(self.id).unwrapped
        return env.model, env.frame_skip  # type: ignore[attr-defined]

    @staticmethod
    def _starts(model: Any, batch: int) -> np.ndarray:
        """Return starts like those of Gymnasium's environment: time, positions, velocities."""
        random = np.random.default_rng(SEED)
        position = random.uniform(-0.1, 0.1, (batch, model.nq)) + model.qpos0
        velocity = 0.1 * random.standard_normal((batch, model.nv))
        return np.concatenate([np.zeros((batch, 1)), position, velocity], axis=1)
