"""Set up a new game: who begins, opening hands, Energy Zones [S1-S4]."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import CARDS
from envwright.zoo.tcgpocket.engine import blocks, chance
from envwright.zoo.tcgpocket.engine.kit import EVERY_CARD, Kit, bit, nth, total, whole
from envwright.zoo.tcgpocket.engine.rows import Need
from envwright.zoo.tcgpocket.engine.state import (
    NO_CARD,
    NO_ENERGY,
    ORDER_WORDS,
    SIDE_FIELDS,
    STATE_FIELDS,
    Side,
    State,
)
from envwright.zoo.tcgpocket.engine.tables import CARD
from envwright.zoo.tcgpocket.engine.turns import exchange, next_energy
from envwright.zoo.tcgpocket.engine.zones import shuffled, top_bits

HAND = 5
_INDEX = np.arange(CARDS, dtype=np.int32)[:, None]
_IN_ORDER = np.array(  # card 0 on top
    [sum((CARDS - 1 - (4 * w + i)) << (8 * i) for i in range(4)) for w in range(ORDER_WORDS)],
    np.int32,
)[:, None]
_AT_FIRST = {  # all else is 0
    "deck": EVERY_CARD, "order": _IN_ORDER, "card": NO_CARD, "tool": NO_CARD, "zone": NO_ENERGY,
}  # fmt: skip


def fresh_side(k: Kit, numbers: Any, types: Any) -> Side:
    """Return a side before any draw: numbers int32[20, B] ascending, types as bits [B]."""
    lanes = types.shape[-1]
    same = whole(numbers[1:] == numbers[:-1]) << _INDEX[1:]
    values = {"cards": k.rows(k.tables.card, numbers)[0], "twins": total(same), "types": types}
    for name in SIDE_FIELDS:
        if name not in values:
            values[name] = k.xp.zeros((*blocks.SIDE_SHAPES[name], lanes), np.int32)
        if name in _AT_FIRST:
            values[name] = values[name] + _AT_FIRST[name]
    return Side(**values)


def basics(k: Kit, side: Side) -> Any:
    """Return bits of Basic Pokemon of a whole deck, int32[B]."""
    need = CARD.get(side.cards[None], "need")
    return total(whole(need == Need.BASIC) << _INDEX)


def _shuffle(k: Kit, s: State, side: Side, when: Any, gone: Any) -> None:
    count = k.popcount(side.deck)
    tape = () if k.tape is None else (k.tape, k.tape_start)
    words = chance.words(k, s.key, s.counter, tape)
    chances = lambda at: chance.words(k, s.key, counter, tape, at)  # noqa: E731
    counter, none = s.counter, k.xp.zeros_like(side.deck)
    order = shuffled(k, side.order, none + CARDS, gone, none, chances)
    side.order = k.xp.where(when, order, side.order)
    s.counter = s.counter + k.xp.where(when, count, 0).astype(np.uint32)
    if k.log is not None:
        for place in range(CARDS):
            chance.write(k, when & (count > place), Purpose.SHUFFLE, 0, words[place])


def _redraw(k: Kit, s: State, side: Side) -> None:
    """Shuffle until one of the top five is a Basic, then draw them."""
    wanted = basics(k, side)
    five = k.xp.zeros_like(side.deck) + HAND
    nobody = k.xp.zeros_like(side.deck) + NO_CARD

    def body(carry: Any) -> Any:
        pending, side.order, s.counter, log = carry
        outer, k.log = k.log, log
        _shuffle(k, s, side, pending, nobody)
        pending = (top_bits(k, side, five, HAND) & wanted) == 0
        carry = pending, side.order, s.counter, k.log
        k.log = outer
        return carry

    start = (side.deck != 0, side.order, s.counter, k.log)
    _, side.order, s.counter, k.log = k.loop(lambda carry: carry[0].any(), body, start)
    side.hand = top_bits(k, side, five, HAND)
    side.deck = side.deck & ~side.hand


def _dealt(k: Kit, s: State, side: Side) -> None:
    """Deal one Basic, then four from the shuffled rest."""
    wanted = basics(k, side)
    everywhere = side.deck != 0
    result = chance.below(k, s, everywhere, Purpose.OPENING, k.popcount(wanted))
    chosen = nth(k, wanted, result)
    card = bit(k, chosen)
    side.deck = side.deck & ~card
    _shuffle(k, s, side, everywhere, chosen)
    four = top_bits(k, side, k.xp.zeros_like(side.deck) + HAND - 1, HAND - 1)
    side.deck = side.deck & ~four
    side.hand = card | four


def new_games(k: Kit, numbers: Any, types: Any, key: Any) -> State:
    """Return games before their first answer: numbers int32[2, 20, B], types [2, B]."""
    xp = k.xp
    zero = xp.zeros_like(types[0])
    sides = [fresh_side(k, numbers[player], types[player]) for player in (0, 1)]
    names = [name for name in STATE_FIELDS if name not in ("me", "foe", "key", "counter")]
    s = State(sides[0], sides[1], key, xp.zeros_like(key[0]), **{name: zero for name in names})
    s.ask_card, s.stadium_card = zero + NO_CARD, zero + NO_CARD
    everywhere = zero == 0
    if k.tape is not None:
        k.tape_start = s.counter
    s.first = chance.below(k, s, everywhere, Purpose.FIRST, zero + 2)
    for side in sides:
        (_redraw if k.settings.opening == "redraw" else _dealt)(k, s, side)
    for side in sides:
        next_energy(k, s, side, everywhere)
    exchange(k, s, s.first == 1)
    s.stage, s.ask = zero + Stage.SETUP, zero + Ask.SETUP_ACTIVE
    return s
