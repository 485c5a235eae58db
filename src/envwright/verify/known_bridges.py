"""Bridges to public ports whose states are laid out differently from their reference's."""

from __future__ import annotations

import re

import numpy as np

from envwright.verify.records import Fields


class CliffWalkingCells:
    """Gymnasium counts cells (`s = 12 row + column`); its tabular port keeps the pair."""

    def to_twin(self, state: Fields) -> Fields:
        return {"state.player_position": np.stack(np.divmod(state["s"], 12), axis=-1)}

    def to_reference(self, state: Fields) -> Fields:
        row, column = np.moveaxis(state["state.player_position"], -1, 0)
        return {"s": row * 12 + column}

    def __str__(self) -> str:
        return "states matched: s = 12 * row + column of player_position"


KNOWN = {
    (r"gymnasium:CliffWalking-v\d", r"gymnasium:tabular/CliffWalking-v\d"): CliffWalkingCells,
}


def known_bridge(reference: str, twin: str) -> CliffWalkingCells | None:
    """The bridge that is kept for this pair of simulator names, if there is one."""
    for (left, right), bridge in KNOWN.items():
        if re.fullmatch(left, reference) and re.fullmatch(right, twin):
            return bridge()
    return None
