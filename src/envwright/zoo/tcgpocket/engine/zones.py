"""Hand, deck and discard pile [H1-H4, C2-C5, I2-I3]."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import CARDS
from envwright.zoo.tcgpocket.engine import chance
from envwright.zoo.tcgpocket.engine.kit import (
    EVERY_CARD,
    Kit,
    any_of,
    bit,
    nth,
    pick,
    total,
    whole,
)
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Fetch, Need
from envwright.zoo.tcgpocket.engine.state import NO_CARD, ORDER_WORDS, Side, State
from envwright.zoo.tcgpocket.engine.tables import CARD, SLOT

FULL_HAND = 10
_PLACE = np.arange(CARDS, dtype=np.int32)[:, None]


def entry(k: Kit, order: Any, place: Any) -> Any:
    """Return the card at a place of a packed deck, from the bottom."""
    return (pick(k, order, place >> 2) >> ((place & 3) << 3)) & 31


def top_bits(k: Kit, side: Side, n: Any, most: int) -> Any:
    """Return the bits of the top n cards (n at most `most`) of a deck that has them."""
    count = k.popcount(side.deck)
    bits = k.xp.zeros_like(side.deck)
    for depth in range(most):
        card = entry(k, side.order, k.xp.maximum(count - 1 - depth, 0))
        bits = bits | k.xp.where(n > depth, 1 << card, 0)
    return bits.astype(np.int32)


def _take_top(k: Kit, side: Side, n: Any, most: int) -> Any:
    bits = top_bits(k, side, n, most)
    side.deck = side.deck & ~bits
    side.seen = k.xp.maximum(side.seen - n, 0)
    return bits


def draw(k: Kit, side: Side, n: Any, most: int) -> None:
    """Draw n[B] cards, at most `most`, as far as hand and deck allow [H1, H2]."""
    room = FULL_HAND - k.popcount(side.hand)
    n = k.xp.clip(n, 0, k.xp.maximum(k.xp.minimum(room, k.popcount(side.deck)), 0))
    side.hand = side.hand | _take_top(k, side, n, most)


def mill(k: Kit, side: Side, n: Any, most: int) -> None:
    """Discard the top n[B] cards."""
    n = k.xp.clip(n, 0, k.popcount(side.deck))
    side.discard = side.discard | _take_top(k, side, n, most)


def look(k: Kit, side: Side, n: Any) -> None:
    """Show the owner the top n[B] cards [I3]."""
    side.seen = k.xp.maximum(side.seen, k.xp.minimum(n, k.popcount(side.deck)))


def out_of_hand(side: Side, bits: Any) -> None:
    """Remove cards from a hand; the caller moves them."""
    side.hand = side.hand & ~bits
    side.revealed = side.revealed & ~bits


def _packed(k: Kit, rank: Any, cards: Any) -> Any:
    """Pack a deck, [5, B], from each card's place from the bottom, [20, B]; above 19 is none."""
    row = np.arange(ORDER_WORDS, dtype=np.int32)[:, None]
    order: Any = 0
    for i in range(CARDS):
        order = order | k.xp.where(rank[i] >> 2 == row, cards[i] << ((rank[i] & 3) << 3), 0)
    return order.astype(np.int32)


def shuffled(k: Kit, order: Any, held: Any, gone: Any, added: Any, chances: Any) -> Any:
    """Shuffle a deck [C2]: `held` cards of `order` except `gone`, and `added` bits below.

    `chances` gives words by place. Words go to cards from the top down, those that are added
    ascending; the smallest word comes to the top.
    """
    xp = k.xp
    old = xp.stack([(order[p >> 2] >> (8 * (p & 3))) & 31 for p in range(CARDS)])
    extra = _PLACE - held
    is_old = extra < 0
    out = is_old & (old == gone)
    above = total(xp.where(out, _PLACE, 0))  # the place of the card that is gone, if there is one
    missing = any_of(out)
    new = nth(k, xp.broadcast_to(added, old.shape), xp.maximum(extra, 0))
    cards = xp.where(is_old, old, new)
    left = held - whole(missing)
    number = xp.where(is_old, held - 1 - _PLACE - whole(missing & (above > _PLACE)), left + extra)
    count = left + k.popcount(added)
    inside = ~out & (number < count)
    words = chances(xp.maximum(number, 0))
    place = xp.zeros_like(number)  # from the top
    for i in range(CARDS):
        ahead = (words[i] < words) | ((words[i] == words) & (number[i] < number))
        place = place + whole(ahead & inside[i])
    return _packed(k, xp.where(inside, count - 1 - place, 4 * ORDER_WORDS), cards)


def reorder(
    k: Kit, s: State, when: Any, theirs: Any, added: Any, fetch: Any, fetch_type: Any
) -> Any:
    """Shuffle a deck, mine or theirs, after adding cards or taking a fitting one out [H3].

    `fetch` (rows.Fetch) looks for a card; where none fits nothing happens. Returns the card that
    was found, or NO_CARD. Cards that are added must be neither in hand nor in play any more.
    """
    xp = k.xp
    tape = () if k.tape is None else (k.tape, k.tape_start)
    mix = lambda name: xp.where(theirs, getattr(s.foe, name), getattr(s.me, name))  # noqa: E731
    deck, order, cards = mix("deck"), mix("order"), mix("cards")
    arrays = (s.key, s.counter, deck, order, cards, added, fetch, fetch_type, *tape)

    def some(found: Any) -> Any:
        key, counter, deck, order, cards, added, fetch, fetch_type, *tape = found
        number, need = CARD.get(cards[None], "number"), CARD.get(cards[None], "need")
        facts = Fields(SLOT, k.rows(k.tables.slot, number))
        pokemon = (need == Need.BASIC) | (need == Need.EVOLUTION)
        fits = (
            ((fetch == Fetch.TYPE) & pokemon & (facts.type == fetch_type))
            | ((fetch == Fetch.POKEMON) & pokemon)
            | ((fetch == Fetch.NIDORAN) & pokemon & (facts.nidoran == 1))
            | ((fetch == Fetch.BASIC) & (need == Need.BASIC))
        )
        candidates = deck & total(whole(fits) << _PLACE)
        n = k.popcount(candidates)
        draws = n > 1
        if tape:
            drawn = chance.from_tape(k, tape[0], counter - tape[1])
        else:
            drawn = chance.below_of(chance.threefry(key[0], key[1], counter), n)
        drawn = xp.where(draws, drawn, np.uint32(0)).astype(np.int32)
        counter = counter + draws.astype(np.uint32)
        card = xp.where(n > 0, nth(k, candidates, drawn), NO_CARD)
        held, deck = k.popcount(deck), deck & ~bit(k, card)
        goes = (fetch == Fetch.NO) | (n > 0)
        count = k.popcount(deck | added)
        takes = goes & (count > 1)
        chances = lambda at: chance.words(k, key, counter, tape, at)  # noqa: E731
        new = xp.where(goes, shuffled(k, order, held, card, added, chances), order)
        word = () if k.log is None else (chance.words(k, key, counter, tape),)
        counter = counter + xp.where(takes, count, 0).astype(np.uint32)
        result = (counter, (deck | added) & EVERY_CARD, new, card, goes, n, drawn, takes)
        return result + word

    nothing = xp.zeros_like(deck)
    logged = np.zeros((CARDS, 1), np.uint32) + xp.zeros_like(s.counter)
    into = (
        s.counter, deck, order, nothing + NO_CARD, nothing == 1, nothing, nothing, nothing == 1,
        logged,
    )  # fmt: skip
    if k.log is None:
        function, into = (lambda found: some(found)[:5]), into[:5]
    else:
        function = some
    result = k.sparse(when, function, arrays, into)
    s.counter, deck, order, card, goes = result[:5]
    for side, mine in ((s.me, ~theirs), (s.foe, theirs)):
        moved = when & mine
        side.deck = xp.where(moved, deck, side.deck)
        side.order = xp.where(moved, order, side.order)
        side.seen = xp.where(moved & goes, 0, side.seen)
    if k.log is not None:
        n, drawn, takes, word = result[5:]
        chance.write(k, when & (n > 1), Purpose.CARD, n, drawn.astype(np.uint32))
        count = k.popcount(deck)
        for place in range(CARDS):
            used = when & takes & (count > place)
            chance.write(k, used, Purpose.SHUFFLE, 0, word[place])
    return card
