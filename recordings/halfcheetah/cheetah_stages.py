"""HalfCheetah-v5 with the stages of its physics as methods, so that calls of them can be recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.sim.records import Fields
from envwright.zoo.halfcheetah.reference import CheetahReference
from envwright.zoo.halfcheetah.reference.inside import ReferenceInside


class StagedCheetah(CheetahReference):
    """Gymnasium's environment; before every fifth step MuJoCo is asked what it computes on the way.

    Its solver goes on to the end, and what it is asked does not change the state.
    """

    def __init__(self) -> None:
        super().__init__(tolerance=1e-12)
        self.inside = ReferenceInside()

    def step(self, action: Any) -> Fields:
        if self._limit._elapsed_steps % 5 == 0:
            now = self.data.qpos.copy(), self.data.qvel.copy(), np.clip(action, -1.0, 1.0)
            self.dynamics(*now)
            self.contacts(*now[:2])
            self.accelerations(*now)
        return super().step(action)

    def dynamics(self, position: Any, velocity: Any, controls: Any) -> tuple[Any, ...]:
        """Mass matrix [9, 9], bias forces [9], and all forces but those of constraints [9]."""
        found = self._stages(position, velocity, controls)
        return found["mass_matrix"], found["bias"], found["smooth"]

    def contacts(self, position: Any, velocity: Any) -> tuple[Any, ...]:
        """Weights of the contacts' edges [16] and of the limits [6]; Jacobians [16, 2, 9]."""
        found = self._stages(position, velocity, np.zeros(6))
        return found["contact_weight"], found["limit_weight"], found["contact_jacobian"]

    def accelerations(self, position: Any, velocity: Any, controls: Any) -> tuple[Any, ...]:
        """Accelerations [9] and the forces of the constraints [9]."""
        found = self._stages(position, velocity, controls)
        return found["acceleration"], found["push"]

    def _stages(self, position: Any, velocity: Any, controls: Any) -> Fields:
        self.inside.load(
            {"position": position, "velocity": velocity, "acceleration": np.zeros(9), "time": 0}
        )
        return self.inside.stages(np.asarray(controls, np.float64))
