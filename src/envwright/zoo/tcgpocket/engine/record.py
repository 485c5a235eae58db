"""Convert the engine's state to the contract's records, and back. NumPy only."""

from __future__ import annotations

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, SLOTS, STATE, Zone
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.setup import fresh_side
from envwright.zoo.tcgpocket.engine.slots import operation_word
from envwright.zoo.tcgpocket.engine.state import NO_CARD, NO_ENERGY, ORDER_WORDS, Side, State
from envwright.zoo.tcgpocket.engine.tables import CARD

_SAME = (
    "turn", "first", "player", "stage", "winner", "supporter", "retreated", "stadium_played",
    "stadium_used", "press", "blaze", "speed", "attack_card", "attack_index", "ask", "ask_count",
    "ask_mask",
)  # fmt: skip
_SIDE = {
    "points": "points", "seen_top": "seen", "types": "types", "next_energy": "coming",
    "poisoned": "poisoned", "burned": "burned", "mind": "mind", "no_supporter": "barred",
    "sweets_turn": "relay_turn", "sweets_count": "relays",
}  # fmt: skip
_SLOT = {"damage": "damage", "fresh": "fresh", "evolved": "evolved", "ability_used": "used"}


def _bits(mask: np.ndarray) -> np.ndarray:
    """Pack bool[B, 20] into int32[B]."""
    return (mask.astype(np.int32) << np.arange(CARDS, dtype=np.int32)).sum(axis=1, dtype=np.int32)


def _flags(bits: np.ndarray) -> np.ndarray:
    """Unpack int32[B] into bool[B, 20]."""
    return (bits[:, None] >> np.arange(CARDS)) & 1 == 1


def _or(value: np.ndarray, here: int, there: int) -> np.ndarray:
    return np.where(value == here, there, value)


def to_records(s: State) -> np.ndarray:
    """Return contract STATE[B]."""
    lanes = s.turn.shape[-1]
    records = np.zeros(lanes, STATE)
    records["key"], records["counter"] = s.key.T, s.counter
    for name in _SAME:
        records[name] = getattr(s, name)
    asking = s.ask != 0
    records["asked"] = np.where(asking, s.player ^ s.asked, 0)
    records["ask_card"] = _or(s.ask_card, NO_CARD, NONE)
    has = s.stadium_card != NO_CARD
    records["stadium_owner"] = np.where(has, s.player ^ s.stadium_owner, NONE)
    records["stadium_card"] = np.where(has, s.stadium_card, NONE)
    every = np.arange(lanes)
    for side, player in ((s.me, s.player), (s.foe, 1 - s.player)):
        part = _side_record(side, lanes)
        owned = has & (records["stadium_owner"] == player)
        part["zone"][every[owned], s.stadium_card[owned]] = Zone.STADIUM
        records["players"][every, player] = part
    return records


def _side_record(side: Side, lanes: int) -> np.ndarray:
    part = np.zeros(lanes, STATE["players"].base)
    part["cards"] = CARD.get(side.cards[None], "number").T
    zone = np.zeros((lanes, CARDS), np.int64)
    zone[_flags(side.hand)] = Zone.HAND
    zone[_flags(side.discard)] = Zone.DISCARD
    every = np.arange(lanes)
    for slot in range(SLOTS):
        for field, first in ((side.card, Zone.POKEMON), (side.tool, Zone.TOOL)):
            held = field[slot] != NO_CARD
            zone[every[held], field[slot][held]] = first + slot
        zone[_flags(side.under[slot])] = Zone.UNDER + slot
    part["zone"] = zone
    part["revealed"] = _flags(side.revealed)
    order = np.stack([(side.order[p >> 2] >> (8 * (p & 3))) & 31 for p in range(CARDS)], 1)
    count = np.bitwise_count(side.deck).astype(int)
    place = count[:, None] - 1 - np.arange(CARDS)
    cards = np.take_along_axis(order, np.maximum(place, 0), 1)
    part["deck"] = np.where(place >= 0, cards, NONE)
    slots = part["slots"]
    slots["card"] = _or(side.card, NO_CARD, NONE).T
    slots["tool"] = _or(side.tool, NO_CARD, NONE).T
    for name, ours in _SLOT.items():
        slots[name] = getattr(side, ours).T
    slots["energy"] = np.moveaxis(side.energy, 2, 0).transpose(0, 2, 1)
    slots["marks"][:, 0], slots["frenzy"][:, 0] = side.marks.T, side.frenzy
    for name, ours in _SIDE.items():
        part[name] = getattr(side, ours)
    part["energy"] = _or(side.zone, NO_ENERGY, NONE)
    part["spent"] = side.spent.T
    return part


def from_records(k: Kit, records: np.ndarray) -> State:
    """Return the state of contract STATE[B]; `k` is a NumPy kit."""
    records = np.atleast_1d(records)
    bench = records["players"]["slots"][:, :, 1:]
    if bench["marks"].any() or bench["frenzy"].any():
        raise EnvwrightError(
            "a Pokemon on the Bench has marks or frenzy; these end when it leaves the Active Spot"
        )
    whole_numbers = {name: records[name].astype(np.int32) for name in _SAME}
    player = whole_numbers["player"]
    every = np.arange(len(records))
    has = records["stadium_card"] != NONE
    owner = np.where(has, records["stadium_owner"], 0).astype(np.int32)
    card = np.where(has, records["stadium_card"], NO_CARD).astype(np.int32)
    numbers = records["players"]["cards"][every, owner, np.minimum(card, CARDS - 1)]
    number = np.where(has, numbers, 0).astype(np.int32)
    asking = records["ask"] != 0
    return State(
        me=_from_side(k, records["players"][every, player]),
        foe=_from_side(k, records["players"][every, 1 - player]),
        key=np.ascontiguousarray(records["key"].T),
        counter=records["counter"].copy(),
        asked=np.where(asking, records["asked"] ^ player, 0).astype(np.int32),
        ask_card=_or(records["ask_card"], NONE, NO_CARD).astype(np.int32),
        stadium=number,
        stadium_fits=np.where(has, CARD.get(k.rows(k.tables.card, number), "fits"), 0).astype(
            np.int32
        ),
        stadium_word=operation_word(k, number),
        stadium_owner=np.where(has, owner ^ player, 0).astype(np.int32),
        stadium_card=card,
        **whole_numbers,
    )


def _from_side(k: Kit, part: np.ndarray) -> Side:
    numbers = part["cards"].T.astype(np.int32)
    side = fresh_side(k, numbers, part["types"].astype(np.int32))
    zone = part["zone"]
    side.hand, side.deck = _bits(zone == Zone.HAND), _bits(zone == Zone.DECK)
    side.discard, side.revealed = _bits(zone == Zone.DISCARD), _bits(part["revealed"] == 1)
    side.under = np.stack([_bits(zone == Zone.UNDER + slot) for slot in range(SLOTS)])
    count = np.bitwise_count(side.deck).astype(np.int32)
    place = count[:, None] - 1 - np.arange(CARDS)
    cards = np.take_along_axis(part["deck"].astype(np.int32), np.maximum(place, 0), 1)
    cards = np.where(place >= 0, cards, 0)
    side.order = np.stack(
        [sum(cards[:, 4 * w + i] << (8 * i) for i in range(4)) for w in range(ORDER_WORDS)]
    ).astype(np.int32)
    slots = part["slots"]
    for field in ("card", "tool"):
        index = _or(slots[field], NONE, NO_CARD).T.astype(np.int32)
        setattr(side, field, index)
        known = np.take_along_axis(numbers, np.minimum(index, CARDS - 1), 0)
        known = np.where(index == NO_CARD, 0, known)
        if field == "card":
            side.facts = np.where(index == NO_CARD, 0, k.rows(k.tables.slot, known))
        else:
            side.gear = np.where(index == NO_CARD, 0, operation_word(k, known))
    for name, ours in _SLOT.items():
        setattr(side, ours, slots[name].T.astype(np.int32))
    side.energy = np.moveaxis(slots["energy"], 0, 2).transpose(1, 0, 2).astype(np.int32)
    side.marks = slots["marks"][:, 0].T.astype(np.int32)
    side.frenzy = slots["frenzy"][:, 0].astype(np.int32)
    for name, ours in _SIDE.items():
        setattr(side, ours, part[name].astype(np.int32))
    side.zone = _or(part["energy"], NONE, NO_ENERGY).astype(np.int32)
    side.spent = part["spent"].T.astype(np.int32)
    return side
