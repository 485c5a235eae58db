"""Bridges to public ports whose states are laid out differently from their reference's."""

from __future__ import annotations

import re

import numpy as np

from envwright.core.bridge import Bridge, Columns, Fields


def _time(state: Fields) -> Fields:
    """Return the time under a time limit, if there is one."""
    return {k: v for k, v in state.items() if k == "time"}


class CliffWalkingCells:
    """Gymnasium counts cells (`s = 12 row + column`); its tabular port keeps the pair."""

    def to_twin(self, state: Fields) -> Fields:
        cell = np.stack(np.divmod(state["s"], 12), axis=-1)
        return {"state.player_position": cell, **_time(state)}

    def to_reference(self, state: Fields) -> Fields:
        row, column = np.moveaxis(state["state.player_position"], -1, 0)
        return {"s": row * 12 + column, **_time(state)}

    def __str__(self) -> str:
        return "states matched: s = 12 * row + column of player_position"


class BlackjackHands:
    """Gymnasium's hands are lists; its tabular port keeps 21 places and counts the cards."""

    places = 21

    def to_twin(self, state: Fields) -> Fields:
        hands: Fields = {"state.done": np.asarray(0), **_time(state)}
        for who in ("dealer", "player"):
            cards = state[who]
            hands[f"state.{who}_hand"] = np.pad(cards, (0, self.places - len(cards)))
            hands[f"state.{who}_cards"] = np.asarray(len(cards))
        return hands

    def to_reference(self, state: Fields) -> Fields:
        hands = {
            who: state[f"state.{who}_hand"][: int(state[f"state.{who}_cards"])].astype(np.int64)
            for who in ("dealer", "player")
        }
        return hands | _time(state)

    def __str__(self) -> str:
        return "states matched: dealer and player = the cards of dealer_hand and player_hand"


KNOWN: dict[tuple[str, str], Bridge] = {
    (r"gymnasium:CliffWalking-v\d", r"gymnasium:tabular/CliffWalking-v\d"): CliffWalkingCells(),
    (r"gymnasium:Blackjack-v\d", r"gymnasium:tabular/Blackjack-v\d"): BlackjackHands(),
    (r"gymnasium:FrozenLake(8x8)?-v\d", r"gymnax:FrozenLake-misc"): Columns(
        {"s": "position", "time": "time"}
    ),
}


def known_bridge(reference: str, twin: str) -> Bridge | None:
    """Return the known bridge for this pair of simulator names, if there is one."""
    for (left, right), bridge in KNOWN.items():
        if re.fullmatch(left, reference) and re.fullmatch(right, twin):
            return bridge
    return None
