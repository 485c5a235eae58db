"""Observations: int16[382] from a saved state, from a player's view.

    obs = observe(state, player, settings)      # a record with names
    vector = flat(obs)                          # the same as int16[382]
    observe_many(states, players, settings)     # records of many games

Hidden: the other side's hand (but for cards it has shown), both orders of decks (but for cards on
top that were looked at), the other side's next energy and declared types, chance, and while
setting up everything the other side does.
"""

from __future__ import annotations

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import CARDS, MARKS, NONE, SLOTS, Zone

I = "<i2"  # noqa: E741
TOP = 3
OPENING_HAND = 5

SLOT_VIEW = np.dtype(
    [
        ("card", I),  # card number, 0 if empty
        ("damage", I),  # in tens
        ("energy", I, 8),
        ("tool", I),  # card number or 0
        ("fresh", I),
        ("evolved", I),
        ("ability_used", I),
        ("marks", I, MARKS),  # 0 none, 1 holds in this turn, 2 in the next, 3 in the one after
        ("frenzy", I),
        ("under", I, 2),  # card numbers, ascending, then 0
    ]
)
SIDE_VIEW = np.dtype(
    [
        ("points", I),
        ("hand", I),  # how many cards
        ("deck", I),
        ("energy", I),  # 1 + type, 0 for none
        ("next_energy", I),  # 1 + type, 0 where hidden
        ("types", I),  # bits, 0 where hidden
        ("spent", I, 8),
        ("poisoned", I),
        ("burned", I),
        ("mind", I),
        ("no_supporter", I),  # as marks
        ("sweets_ago", I),  # turns since, 0 for never or in this turn
        ("sweets_count", I),
        ("discard", I, CARDS),  # card numbers, ascending, then 0
        ("revealed", I, CARDS),  # cards in hand that the other side knows, the same way
        ("slots", SLOT_VIEW, SLOTS),
    ]
)
OBSERVATION = np.dtype(
    [
        ("turn", I),
        ("my_turn", I),
        ("went_first", I),
        ("stage", I),
        ("ask", I),  # the four below are 0 for a player who is not asked
        ("ask_card", I),  # card number
        ("ask_count", I),
        ("ask_mask", I),
        ("supporter", I),
        ("retreated", I),
        ("stadium_played", I),
        ("stadium_used", I),
        ("press", I),
        ("blaze", I),
        ("speed", I),
        ("attack_card", I),  # card number
        ("attack_index", I),
        ("stadium", I),  # card number
        ("stadium_mine", I),
        ("cards", I, CARDS),  # own card numbers
        ("zone", I, CARDS),  # and where each is
        ("top", I, TOP),  # card numbers on top of the own deck as far as known
        ("sides", SIDE_VIEW, 2),  # own, other
    ]
)
LENGTH = OBSERVATION.itemsize // 2
_TURN_FIELDS = [
    "turn", "stage", "supporter", "retreated", "stadium_played", "stadium_used", "press", "blaze",
    "speed", "attack_card", "attack_index",
]  # fmt: skip
_SIDE_FIELDS = ["points", "spent", "poisoned", "burned", "mind", "sweets_count"]
_SLOT_FIELDS = ["damage", "energy", "fresh", "evolved", "ability_used", "frenzy"]


def observe(state: np.ndarray, player: int, settings: Settings) -> np.ndarray:
    """Return the view of one player, as a record."""
    return observe_many(state.reshape(1), np.array([player]), settings)[0]


def observe_many(states: np.ndarray, players: np.ndarray, settings: Settings) -> np.ndarray:
    """Return views of some games, OBSERVATION[B]: of player `players[b]` in `states[b]`."""
    lanes = np.arange(len(states))
    view = np.zeros(len(states), OBSERVATION)
    for name in _TURN_FIELDS:
        view[name] = states[name]
    view["my_turn"] = states["player"] == players
    view["went_first"] = states["first"] == players
    mine = states["players"][lanes, players]
    asked = (states["ask"] > 0) & (states["asked"] == players)
    for name in ("ask", "ask_count", "ask_mask"):
        view[name] = np.where(asked, states[name], 0)
    view["ask_card"] = np.where(asked, _number(mine["cards"], states["ask_card"]), 0)
    there = states["stadium_owner"] != NONE
    owner = np.where(there, states["stadium_owner"], 0)
    owned = states["players"]["cards"][lanes, owner]
    view["stadium"] = np.where(there, _number(owned, states["stadium_card"]), 0)
    view["stadium_mine"] = there & (owner == players)
    view["cards"], view["zone"] = mine["cards"], mine["zone"]
    known = np.arange(TOP) < mine["seen_top"][:, None]
    view["top"] = np.where(known, _number(mine["cards"], mine["deck"][:, :TOP]), 0)
    both = states["players"][lanes[:, None], np.stack([players, 1 - players], 1)]
    turn = states["turn"].astype(np.int16)[:, None]
    _sides(view["sides"], both, turn)
    hidden = states["stage"] == Stage.SETUP
    other = view["sides"][:, 1]
    other[hidden] = np.zeros((), SIDE_VIEW)
    other["hand"][hidden], other["deck"][hidden] = OPENING_HAND, CARDS - OPENING_HAND
    other["types"] = 0
    if not settings.public_next_energy:
        other["next_energy"] = 0
    return view


def flat(view: np.ndarray) -> np.ndarray:
    """Return an observation as int16[382]."""
    return np.frombuffer(view.tobytes(), I)


def record(vector: np.ndarray) -> np.ndarray:
    """Return an observation as a record."""
    return np.frombuffer(np.asarray(vector, I).tobytes(), OBSERVATION)[0]


def _number(numbers: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Return numbers of own cards, 0 for NONE; from [..., 20] and [...] or [..., n]."""
    places = cards[..., None] if cards.ndim < numbers.ndim else cards
    with_none = np.concatenate([numbers, np.zeros_like(numbers[..., :1])], -1)
    found = np.take_along_axis(with_none, np.minimum(places, CARDS).astype(np.intp), -1)
    return found[..., 0] if cards.ndim < numbers.ndim else found


def _sides(view: np.ndarray, players: np.ndarray, turn: np.ndarray) -> None:
    """Fill SIDE_VIEW[B, 2] from PLAYER[B, 2]; turn is int16[B, 1]."""
    zone, numbers = players["zone"], players["cards"]
    for name in _SIDE_FIELDS:
        view[name] = players[name]
    view["hand"] = np.count_nonzero(zone == Zone.HAND, -1)
    view["deck"] = np.count_nonzero(zone == Zone.DECK, -1)
    view["energy"] = np.where(players["energy"] == NONE, 0, players["energy"].astype(I) + 1)
    view["next_energy"] = players["next_energy"].astype(I) + 1
    view["types"] = players["types"]
    view["no_supporter"] = _when(players["no_supporter"], turn)
    view["sweets_ago"] = np.where(players["sweets_turn"], turn - players["sweets_turn"], 0)
    view["discard"] = _list(numbers, zone == Zone.DISCARD)
    view["revealed"] = _list(numbers, players["revealed"] == 1)
    slots, seen = players["slots"], view["slots"]
    taken = slots["card"] != NONE
    for name in _SLOT_FIELDS:
        field = slots[name]
        seen[name] = field * (taken[..., None] if field.ndim > taken.ndim else taken)
    seen["card"] = _number(numbers, slots["card"])
    seen["tool"] = _number(numbers, slots["tool"]) * taken
    seen["marks"] = _when(slots["marks"], turn[..., None, None]) * taken[..., None]
    under = zone[..., None, :] == np.arange(Zone.UNDER, Zone.UNDER + SLOTS)[:, None]
    listed = _list(np.broadcast_to(numbers[..., None, :], under.shape), under)
    seen["under"] = listed[..., :2] * taken[..., None]


def _when(marks: np.ndarray, turn: np.ndarray) -> np.ndarray:
    return np.where(marks > 0, marks - turn + 1, 0)


def _list(numbers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return chosen numbers, ascending, then 0."""
    last = np.iinfo(np.int16).max
    listed = np.sort(np.where(chosen, numbers.astype(np.int16), last), -1)
    return np.where(listed == last, 0, listed)
