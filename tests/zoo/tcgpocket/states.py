"""What holds in every state, whatever has happened."""

from __future__ import annotations

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import ACTIONS, Stage
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, SLOTS, Zone, empty, unpack

EMPTY_SLOT = empty()["players"][0]["slots"][0].tobytes()


def check(game) -> None:
    """Fails if a game is in a state that cannot be."""
    state = check_record(game.save())
    if game.over:
        assert state["winner"] and state["stage"] == Stage.OVER and not state["ask"]
    else:
        assert len(game.legal) > 1 and state["ask"] and not state["winner"]
        assert game.legal == sorted(set(game.legal)) and game.legal[-1] < ACTIONS
        assert game.mover == state["asked"]


def check_record(data: bytes) -> np.ndarray:
    """Fails if a record tells the same twice and not the same; gives the state."""
    state = unpack(data)
    for player in state["players"]:
        _check_player(player)
    owner, stadium = int(state["stadium_owner"]), int(state["stadium_card"])
    there = [tuple(found) for found in np.argwhere(state["players"]["zone"] == Zone.STADIUM)]
    assert there == ([] if owner == NONE else [(owner, stadium)])
    return state


def _check_player(player: np.ndarray) -> None:
    zone, slots = player["zone"].tolist(), player["slots"]
    deck = [card for card in player["deck"].tolist() if card != NONE]
    assert sorted(deck) == [card for card in range(CARDS) if zone[card] == Zone.DECK]
    numbers = player["cards"].tolist()
    assert numbers == sorted(numbers) and max(zone) <= Zone.STADIUM
    assert player["seen_top"] <= len(deck)
    assert all(zone[card] == Zone.HAND for card in np.flatnonzero(player["revealed"]))
    for slot in range(SLOTS):
        card, tool = int(slots["card"][slot]), int(slots["tool"][slot])
        tops = [c for c in range(CARDS) if zone[c] == Zone.POKEMON + slot]
        assert tops == ([] if card == NONE else [card])
        assert [c for c in range(CARDS) if zone[c] == Zone.TOOL + slot] == [tool] * (tool != NONE)
        if card == NONE:
            assert Zone.UNDER + slot not in zone
            assert slots[slot].tobytes() == EMPTY_SLOT
