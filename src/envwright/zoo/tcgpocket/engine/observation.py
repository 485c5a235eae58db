"""Observations: int16[382] for each lane, in the layout of `contract.observation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.observation import OPENING_HAND, TOP
from envwright.zoo.tcgpocket.contract.state import CARDS, MARKS, SLOTS, Zone
from envwright.zoo.tcgpocket.engine.kit import Kit, pick, whole
from envwright.zoo.tcgpocket.engine.state import NO_CARD, SIDE_FIELDS, Side, State
from envwright.zoo.tcgpocket.engine.tables import CARD
from envwright.zoo.tcgpocket.engine.zones import entry

_INDEX = np.arange(CARDS, dtype=np.int32)[:, None]


def observe(k: Kit, s: State, player: Any) -> Any:
    """Return the observations of player[B] (0 or 1), int16[382, B]."""
    xp = k.xp
    mine = player == s.player
    pairs = {n: (getattr(s.me, n), getattr(s.foe, n)) for n in SIDE_FIELDS}
    own = Side(**{n: xp.where(mine, me, foe) for n, (me, foe) in pairs.items()})
    other = Side(**{n: xp.where(mine, foe, me) for n, (me, foe) in pairs.items()})
    asked = (s.ask > 0) & ((s.player ^ s.asked) == player)
    only = lambda value: xp.where(asked, value, 0)  # noqa: E731
    numbers = CARD.get(own.cards[None], "number")
    owned = (s.stadium > 0) & ((s.player ^ s.stadium_owner) == player)
    rows = [
        s.turn, whole(mine), whole(s.first == player), s.stage,
        only(s.ask), only(_number(k, numbers, s.ask_card)), only(s.ask_count), only(s.ask_mask),
        s.supporter, s.retreated, s.stadium_played, s.stadium_used,
        s.press, s.blaze, s.speed, s.attack_card, s.attack_index,
        s.stadium, whole(owned),
    ]  # fmt: skip
    blocks = [
        xp.stack(rows), numbers, _zones(k, s, own, owned), _top(k, own, numbers),
        _side(k, s, own, hidden=s.turn < 0, ours=True),
        _side(k, s, other, hidden=s.stage == Stage.SETUP, ours=False),
    ]  # fmt: skip
    return xp.concatenate([block.astype(np.int16) for block in blocks])


def _number(k: Kit, numbers: Any, card: Any) -> Any:
    """Return the number of a card [B], 0 for none."""
    return k.xp.where(card < CARDS, pick(k, numbers, card), 0)


def _zones(k: Kit, s: State, side: Side, owned: Any) -> Any:
    """Return where each own card is, int32[20, B]."""
    xp = k.xp
    zone = ((side.hand >> _INDEX) & 1) * Zone.HAND + ((side.discard >> _INDEX) & 1) * Zone.DISCARD
    for slot in range(SLOTS):
        zone = xp.where(side.card[slot] == _INDEX, Zone.POKEMON + slot, zone)
        zone = xp.where(side.tool[slot] == _INDEX, Zone.TOOL + slot, zone)
        zone = zone + ((side.under[slot] >> _INDEX) & 1) * (Zone.UNDER + slot)
    return xp.where((s.stadium_card == _INDEX) & owned, Zone.STADIUM, zone)


def _top(k: Kit, side: Side, numbers: Any) -> Any:
    """Return numbers on top of the deck as far as known, int32[3, B]."""
    count = k.popcount(side.deck)
    known = []
    for depth in range(TOP):
        card = entry(k, side.order, k.xp.maximum(count - 1 - depth, 0))
        known.append(k.xp.where(side.seen > depth, _number(k, numbers, card), 0))
    return k.xp.stack(known)


def listed(k: Kit, numbers: Any, bits: Any, length: int) -> Any:
    """Return the numbers of a set of cards, int32[length, B], without gaps, by index."""
    xp = k.xp
    inside = ((bits >> _INDEX) & 1) == 1
    place = k.popcount(bits & ((1 << _INDEX) - 1))
    place = xp.where(inside, place, NO_CARD)
    closed, row = 0, np.arange(length, dtype=np.int32)[:, None]
    for i in range(CARDS):
        closed = closed + xp.where(place[i] == row, numbers[i], 0)
    return closed


def _lists(k: Kit, side: Side, numbers: Any) -> Any:
    """Return discard pile and known hand, in a phase, since each number would be computed anew."""
    return (
        listed(k, numbers, side.discard, CARDS),
        listed(k, numbers, side.revealed, CARDS),
    )


def _when(k: Kit, mark: Any, turn: Any) -> Any:
    return k.xp.where(mark > 0, mark - turn + 1, 0)


def _side(k: Kit, s: State, side: Side, hidden: Any, ours: bool) -> Any:
    xp = k.xp
    zero = xp.zeros_like(s.turn)
    numbers = CARD.get(side.cards[None], "number")
    shows_next = ours or k.settings.public_next_energy
    ago = xp.where(side.relay_turn > 0, s.turn - side.relay_turn, 0)
    head = [
        side.points, k.popcount(side.hand), k.popcount(side.deck),
        (side.zone + 1) % 9, side.coming + 1 if shows_next else zero,
        side.types if ours else zero,
    ]  # fmt: skip
    tail = [
        side.poisoned, side.burned, side.mind, _when(k, side.barred, s.turn), ago, side.relays,
    ]  # fmt: skip
    blocks = [
        xp.stack(head), side.spent, xp.stack(tail),
        *k.phase(s.turn >= 0, lambda s: _lists(k, side, numbers), s),
        *(_slot(k, s, side, numbers, slot) for slot in range(SLOTS)),
    ]  # fmt: skip
    view = xp.concatenate(blocks)
    nothing = np.zeros((view.shape[0], 1), np.int32)
    nothing[1], nothing[2] = OPENING_HAND, CARDS - OPENING_HAND
    if k.settings.public_next_energy and not ours:
        nothing[4] = 0
    return xp.where(hidden, nothing, view)


def _slot(k: Kit, s: State, side: Side, numbers: Any, slot: int) -> Any:
    xp = k.xp
    if slot == 0:
        marks, frenzy = _when(k, side.marks, s.turn), side.frenzy
    else:
        frenzy = xp.zeros_like(side.frenzy)
        marks = xp.zeros_like(side.marks)
    head = [_number(k, numbers, side.card[slot]), side.damage[slot]]
    middle = [
        _number(k, numbers, side.tool[slot]), side.fresh[slot], side.evolved[slot],
        side.used[slot],
    ]  # fmt: skip
    return xp.concatenate(
        [
            xp.stack(head), side.energy[:, slot], xp.stack(middle), marks[:MARKS], frenzy[None],
            listed(k, numbers, side.under[slot], 2),
        ]
    )  # fmt: skip
