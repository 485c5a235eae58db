"""A game as one row of words, which environments keep, and move when lanes are picked.

Small numbers share words, four in each. Beside the game a row holds its legal actions, and the
answer that is to be given next with its kind (0 for none).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.state import MARKS, SLOTS
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.state import ORDER_WORDS, Side, State

_WIDE_SIDE = {
    "cards": (20,), "twins": (), "hand": (), "deck": (), "discard": (), "revealed": (),
    "order": (ORDER_WORDS,), "facts": (3, SLOTS), "under": (SLOTS,), "gear": (SLOTS,),
}  # fmt: skip
_NARROW_SIDE = {
    "energy": (8, SLOTS), "card": (SLOTS,), "tool": (SLOTS,), "damage": (SLOTS,),
    "fresh": (SLOTS,), "evolved": (SLOTS,), "used": (SLOTS,), "marks": (MARKS,), "spent": (8,),
    "frenzy": (), "points": (), "seen": (), "types": (), "zone": (), "coming": (), "poisoned": (),
    "burned": (), "mind": (), "barred": (), "relay_turn": (), "relays": (),
}  # fmt: skip
SIDE_SHAPES = _WIDE_SIDE | _NARROW_SIDE
_WIDE = ("stadium", "stadium_fits", "stadium_word", "attack_card")
_NARROW = (
    "turn", "first", "player", "stage", "winner", "supporter", "retreated", "stadium_played",
    "stadium_used", "press", "blaze", "speed", "attack_index", "ask", "asked", "ask_card",
    "ask_count", "ask_mask", "stadium_owner", "stadium_card",
)  # fmt: skip
LEGAL, ACTION, CLASS = 0, 4, 5  # columns in front of the game
_FRONT = 6
_KEY, _COUNTER = _FRONT, _FRONT + 2
_GAME = _FRONT + 3


def _rows(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=int))


def _layout(
    side: dict[str, tuple[int, ...]], game: tuple[str, ...]
) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return side, name and shape of fields in the order of a row; the game's own side is ""."""
    sides = [(of, name, shape) for of in ("me", "foe") for name, shape in side.items()]
    return sides + [("", name, ()) for name in game]


WIDE, NARROW = _layout(_WIDE_SIDE, _WIDE), _layout(_NARROW_SIDE, _NARROW)
_WIDE_ROWS = sum(_rows(shape) for _, _, shape in WIDE)
_NARROW_ROWS = sum(_rows(shape) for _, _, shape in NARROW)
WORDS = _GAME + _WIDE_ROWS + -(-_NARROW_ROWS // 4)


def _place(fields: list[tuple[str, str, Any]], side: str, name: str) -> int:
    """Return how many numbers come before a field."""
    place = 0
    for of, other, shape in fields:
        if (of, other) == (side, name):
            return place
        place += _rows(shape)
    raise KeyError(name)


def column(name: str, side: str = "") -> int:
    """Return the column of a wide field's first word."""
    return _GAME + _place(WIDE, side, name)


def read(block: Any, name: str) -> Any:
    """Read a small number of each game, from rows [..., WORDS]."""
    word, place = divmod(_place(NARROW, "", name), 4)
    return (block[..., _GAME + _WIDE_ROWS + word] >> 8 * place) & 255


def pack(k: Kit, s: State, front: Any) -> Any:
    """Pack a state into int32[WORDS, B]; `front` is [6, B]: legal actions, answer, kind."""
    xp = k.xp

    def rows(of: str, name: str) -> Any:
        value = getattr(getattr(s, of) if of else s, name)
        return value.reshape((-1, value.shape[-1]))

    parts = [front, s.key.astype(np.int32), s.counter[None].astype(np.int32)]
    parts += [rows(of, name) for of, name, _ in WIDE]
    small = xp.concatenate([rows(of, name) for of, name, _ in NARROW])
    fill = -small.shape[0] % 4
    small = xp.concatenate([small, small[:fill]]).reshape((-1, 4, small.shape[-1]))
    parts.append(small[:, 0] | small[:, 1] << 8 | small[:, 2] << 16 | small[:, 3] << 24)
    return xp.concatenate(parts).astype(np.int32)


def unpack(k: Kit, columns: Any) -> State:
    """Unpack the state in int32[WORDS, B]."""
    sides: dict[str, dict[str, Any]] = {"me": {}, "foe": {}, "": {}}
    place = _GAME
    lanes = columns.shape[-1]
    for of, name, shape in WIDE:
        sides[of][name] = columns[place : place + _rows(shape)].reshape((*shape, lanes))
        place += _rows(shape)
    packed = columns[place:]
    small = k.xp.stack([(packed >> shift) & 255 for shift in (0, 8, 16, 24)], axis=1)
    small = small.reshape((-1, lanes))
    place = 0
    for of, name, shape in NARROW:
        sides[of][name] = small[place : place + _rows(shape)].reshape((*shape, lanes))
        place += _rows(shape)
    key = columns[_KEY : _KEY + 2].astype(np.uint32)
    return State(
        me=Side(**sides["me"]),
        foe=Side(**sides["foe"]),
        key=key,
        counter=columns[_COUNTER].astype(np.uint32),
        **sides[""],
    )
