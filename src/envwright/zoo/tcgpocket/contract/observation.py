"""What a player sees: int16[382] from a saved state, from that player's view.

    obs = observe(state, player, settings)      # a record with names
    vector = flat(obs)                          # the same as int16[382]

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
        ("ask", I),  # the four below are 0 for who is not asked
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
    "turn",
    "stage",
    "supporter",
    "retreated",
    "stadium_played",
    "stadium_used",
    "press",
    "blaze",
    "speed",
    "attack_card",
    "attack_index",
]
_SIDE_FIELDS = ["points", "spent", "poisoned", "burned", "mind", "sweets_count"]
_SLOT_FIELDS = ["damage", "energy", "fresh", "evolved", "ability_used", "frenzy"]


def observe(state: np.ndarray, player: int, settings: Settings) -> np.ndarray:
    """The view of one player, as a record."""
    view = np.zeros((), OBSERVATION)
    for name in _TURN_FIELDS:
        view[name] = state[name]
    view["my_turn"] = state["player"] == player
    view["went_first"] = state["first"] == player
    mine = state["players"][player]
    if state["ask"] and state["asked"] == player:
        view["ask"] = state["ask"]
        view["ask_count"] = state["ask_count"]
        view["ask_mask"] = state["ask_mask"]
        view["ask_card"] = _number(mine, state["ask_card"])
    if state["stadium_owner"] != NONE:
        owner = int(state["stadium_owner"])
        view["stadium"] = _number(state["players"][owner], state["stadium_card"])
        view["stadium_mine"] = owner == player
    view["cards"], view["zone"] = mine["cards"], mine["zone"]
    seen = int(mine["seen_top"])
    view["top"][:seen] = mine["cards"][mine["deck"][:seen]]
    for side, who in enumerate((player, 1 - player)):
        hidden = side == 1 and state["stage"] == Stage.SETUP
        _side(view["sides"][side], state["players"][who], int(state["turn"]), hidden)
    other = view["sides"][1]
    other["types"] = 0
    if not settings.public_next_energy:
        other["next_energy"] = 0
    return view


def flat(view: np.ndarray) -> np.ndarray:
    """An observation as int16[382]."""
    return np.frombuffer(view.tobytes(), I)


def record(vector: np.ndarray) -> np.ndarray:
    """An observation with names again."""
    return np.frombuffer(np.asarray(vector, I).tobytes(), OBSERVATION)[0]


def _number(player: np.ndarray, card: int) -> int:
    return 0 if card == NONE else int(player["cards"][card])


def _side(view: np.ndarray, player: np.ndarray, turn: int, hidden: bool) -> None:
    zone, numbers = player["zone"], player["cards"]
    if hidden:
        view["hand"], view["deck"] = OPENING_HAND, CARDS - OPENING_HAND
        return
    view["next_energy"] = player["next_energy"] + 1
    view["types"] = player["types"]
    for name in _SIDE_FIELDS:
        view[name] = player[name]
    view["hand"] = np.count_nonzero(zone == Zone.HAND)
    view["deck"] = np.count_nonzero(zone == Zone.DECK)
    view["energy"] = 0 if player["energy"] == NONE else player["energy"] + 1
    view["no_supporter"] = _when(player["no_supporter"], turn)
    view["sweets_ago"] = turn - int(player["sweets_turn"]) if player["sweets_turn"] else 0
    _list(view["discard"], numbers[zone == Zone.DISCARD])
    _list(view["revealed"], numbers[player["revealed"] == 1])
    for slot in range(SLOTS):
        there, seen = player["slots"][slot], view["slots"][slot]
        if there["card"] == NONE:
            continue
        for name in _SLOT_FIELDS:
            seen[name] = there[name]
        seen["card"] = _number(player, there["card"])
        seen["tool"] = _number(player, there["tool"])
        seen["marks"] = [_when(mark, turn) for mark in there["marks"]]
        _list(seen["under"], numbers[zone == Zone.UNDER + slot])


def _when(mark: int, turn: int) -> int:
    return int(mark) - turn + 1 if mark else 0


def _list(place: np.ndarray, numbers: np.ndarray) -> None:
    place[: len(numbers)] = np.sort(numbers)
