"""Describe where two records differ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envwright.zoo.tcgpocket.cards import LETTERS, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.observation import OBSERVATION, record
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, Mark, Mind, Zone


class Place(NamedTuple):
    """A field with the values of both sides."""

    field: str  # players[0].slots[1].energy[3]
    reference: int
    ours: int


def places(theirs: Any, ours: Any, prefix: str = "") -> list[Place]:
    """Return all fields in which two records of one type differ, in the record's order."""
    found: list[Place] = []
    for name in theirs.dtype.names:
        found += _inside(theirs[name], ours[name], f"{prefix}{name}")
    return found


def _inside(theirs: Any, ours: Any, name: str) -> list[Place]:
    if theirs.dtype.names and not theirs.shape:
        return places(theirs, ours, f"{name}.")
    if theirs.shape:
        pairs = zip(theirs, ours, strict=True)
        return [one for i, (a, b) in enumerate(pairs) for one in _inside(a, b, f"{name}[{i}]")]
    return [] if theirs == ours else [Place(name, int(theirs), int(ours))]


def seen_places(theirs: np.ndarray, ours: np.ndarray) -> list[Place]:
    """Return the same for two observations, given as vectors."""
    assert theirs.size * 2 == OBSERVATION.itemsize
    return places(record(theirs), record(ours))


ENUMS = {"stage": Stage, "ask": Ask, "mind": Mind}
KINDS = ("energy", "next_energy")
OWN_CARDS = ("card", "tool", "ask_card", "stadium_card")


def value(place: str, number: int, state: np.void) -> str:
    """Describe a number of a field, by name if it has one."""
    name = place.rpartition(".")[2]
    bare = name.partition("[")[0]
    if bare in ENUMS and number in ENUMS[bare].__members__.values():
        return f"{number} ({ENUMS[bare](number).name})"
    if name in KINDS:
        return f"{number} ({LETTERS[number]})" if number < CARDS // 2 else f"{number} (none)"
    if bare == "zone":
        return f"{number} ({zone_name(number)})"
    if bare in OWN_CARDS and place.startswith("players["):
        cards = state["players"][int(place[len("players[")])]["cards"]
        return f"{number} ({'none' if number == NONE else card_name(int(cards[number % CARDS]))})"
    return str(number)


def zone_name(number: int) -> str:
    """Return the name of a zone: `HAND`, `TOOL 2`."""
    if number > Zone.STADIUM:
        return "nowhere"
    first = max(zone for zone in Zone if zone <= number)
    slots = first in (Zone.POKEMON, Zone.UNDER, Zone.TOOL)
    return f"{first.name} {number - first}" if slots else first.name


def card_name(number: int) -> str:
    """Return a card's name and first print."""
    card = load().get(number)
    return f"{card.name}, {card.prints[0]}" if card else f"no card {number}"


def field_name(place: str, state: np.void) -> str:
    """Describe a field with the card or Pokemon that it belongs to."""
    said = place
    if ".marks[" in place:
        said += f" {Mark(int(place.rpartition('[')[2][:-1])).name}"
    if place.startswith("players[") and (".slots[" in place or ".zone[" in place):
        player = state["players"][int(place[len("players[")])]
        inside = int(place.split("[")[2].partition("]")[0])
        card = inside if ".zone[" in place else int(player["slots"][inside]["card"])
        if card < CARDS:
            said += f" ({card_name(int(player['cards'][card]))})"
    return said


def draw_words(draw: tuple[int, int, int] | None) -> str:
    """Describe a draw."""
    if draw is None:
        return "no draw"
    purpose, n, result = draw
    name = (
        Purpose(purpose).name if purpose in Purpose.__members__.values() else f"purpose {purpose}"
    )
    return f"{name} {result} of {n}" if n else f"{name} word {result:#010x}"


def action_words(action: int, state: np.void) -> str:
    """Describe an action with the card that it plays."""
    said = actions.name(action)
    if actions.PLAY <= action < actions.ATTACH:
        asked = int(state["asked"])
        said += f" ({card_name(int(state['players'][asked]['cards'][action - actions.PLAY]))})"
    if actions.ATTACK <= action < actions.STADIUM:
        mine = state["players"][int(state["player"])]
        card = int(mine["slots"][0]["card"])
        said += f" of {card_name(int(mine['cards'][card % CARDS]))}"
    return said
