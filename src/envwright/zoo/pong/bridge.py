"""The bridge to the fields of the C structure."""

from __future__ import annotations

import numpy as np

from envwright.core.bridge import Fields
from envwright.zoo.pong.rules import RALLY

SAME = ("score_l", "score_r", "tick")


class PongBridge:
    """Maps C's eight numbers to our six: the other two follow from the scores."""

    only_renames = True  # without rounding

    def to_twin(self, state: Fields) -> Fields:
        twin = {f"rally.{name}": state[name] for name in RALLY}
        twin |= {f"shown.{name}": state["shown"][..., i] for i, name in enumerate(RALLY)}
        twin |= {name: state[name] for name in SAME}
        serves = state["serves"]
        return twin | {"serves.low": serves[..., 0], "serves.high": serves[..., 1]}

    def to_reference(self, state: Fields) -> Fields:
        fields = {name: state[f"rally.{name}"] for name in RALLY} | {n: state[n] for n in SAME}
        scores = [np.asarray(state[n] // 21, np.float32) for n in ("score_l", "score_r")]
        shown = [np.asarray(state[f"shown.{name}"]) for name in RALLY]
        fields["shown"] = np.stack([*shown, *scores], axis=-1)
        fields["serves"] = np.stack([state["serves.low"], state["serves.high"]], axis=-1)
        return fields


BRIDGE = PongBridge()
