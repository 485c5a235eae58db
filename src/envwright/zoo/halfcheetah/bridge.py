"""Gymnasium's draws as our noise; states have the same names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.bridge import SameNames
from envwright.zoo.halfcheetah.env import Noise, Params


class CheetahBridge(SameNames):
    """Maps the two draws of a reset: nine uniform numbers, nine normal ones."""

    def start_noise(self, draws: Sequence[Any]) -> Noise:
        uniform, normal = draws
        scale = float(Params().reset_noise_scale)
        parts: tuple[Any, Any] = np.asarray(uniform.value) / scale, np.asarray(normal.value)
        return Noise(*parts)


BRIDGE = CheetahBridge()
