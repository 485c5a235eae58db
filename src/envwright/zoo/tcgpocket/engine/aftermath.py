"""Effects besides damage: of attacks (after damage), abilities, trainer cards and Stadiums."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.engine import chance
from envwright.zoo.tcgpocket.engine.answers import Answer, put_question
from envwright.zoo.tcgpocket.engine.attack import Attack, foe_alive
from envwright.zoo.tcgpocket.engine.kit import (
    SLOT,
    Kit,
    any_of,
    bit,
    nth,
    pick,
    running,
    total,
    whole,
)
from envwright.zoo.tcgpocket.engine.legal import energise_fits
from envwright.zoo.tcgpocket.engine.play import Deed, discarded_fossil
from envwright.zoo.tcgpocket.engine.rows import Attach, Change, Discard, Fetch, Op
from envwright.zoo.tcgpocket.engine.slots import (
    TYPE,
    energies,
    facts,
    first_room,
    from_zone,
    has_bench,
    heal,
    hp,
    hurt,
    leave,
    place,
    spend,
    spend_all,
    switch,
)
from envwright.zoo.tcgpocket.engine.state import NO_CARD, NO_ENERGY, State, tree
from envwright.zoo.tcgpocket.engine.tables import CARD
from envwright.zoo.tcgpocket.engine.zones import (
    FULL_HAND,
    draw,
    look,
    mill,
    out_of_hand,
    reorder,
)

MOST_DRAWN = 5  # cards at once; rows may not ask for more


@tree
class Reach:
    """The lanes in which an attack's effects act: on anybody, and on the foe [A10]."""

    any: Any  # bool[B]
    foe: Any  # bool[B]

    @classmethod
    def of(cls, k: Kit, s: State, attack: Attack) -> Reach:
        """Return the reach after the damage."""
        anybody = attack.live & ((attack.row.gate == 0) | (attack.heads > 0))
        immune = s.foe.marks[Mark.IMMUNE] == s.turn
        return cls(anybody, anybody & foe_alive(k, s) & ~immune)


def conditions(k: Kit, s: State, attack: Attack, deed: Deed, reach: Reach, heads: Any) -> None:
    """Apply Special Conditions [X2]."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    foe.mind = xp.where(reach.foe & (row.mind > 0), row.mind, foe.mind)
    foe.mind = xp.where(deed.does(Op.PENDULUM) & (heads > 0), Mind.ASLEEP, foe.mind)
    poisons = (reach.foe & (row.poison == 1)) | deed.does(Op.GAS_LEAK)
    foe.poisoned = xp.where(poisons, 1, foe.poisoned)
    foe.burned = xp.where(reach.foe & (row.burn == 1), 1, foe.burned)
    me.mind = xp.where(reach.any & (row.sleep_self == 1), Mind.ASLEEP, me.mind)


def marks(k: Kit, s: State, attack: Attack, reach: Reach) -> None:
    """Set the marks that attacks leave for a turn [A13]."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    which = np.arange(1, len(Mark) + 1, dtype=np.int32)[:, None]
    foe.marks = xp.where((which == row.foe_mark) & reach.foe, s.turn + 1, foe.marks)
    me.marks = xp.where((which == row.own_mark) & reach.any, s.turn + row.turns, me.marks)
    me.frenzy = me.frenzy + whole(reach.any & (row.frenzy > 0))
    foe.barred = xp.where(reach.any & (row.bar == 1), s.turn + 1, foe.barred)


def random_discards(k: Kit, s: State, attack: Attack, reach: Reach) -> None:
    """Discard a random energy of either Active Pokemon, or a random card of the other hand."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    own = reach.any & (row.discard == Discard.OWN_RANDOM)
    other = reach.foe & (row.discard == Discard.FOE_RANDOM)
    hand = reach.any & (row.foe_hand == 1)
    of_energy = xp.where(own, energies(me)[0], energies(foe)[0])
    n = xp.where(hand, k.popcount(foe.hand), of_energy)
    drawn = own | other | hand
    purpose = xp.where(hand, Purpose.CARD, Purpose.DISCARD_ENERGY)
    result = chance.below(k, s, drawn & (n > 0), purpose, n)
    for side, when in ((me, own), (foe, other)):
        below = running(k, side.energy[:, 0]) <= result
        kind = total(whole(below))
        spend(k, side, 0, kind, whole(when & (n > 0)))
    card = bit(k, nth(k, foe.hand, result))
    card = xp.where(hand & (n > 0), card, 0)
    out_of_hand(foe, card)
    foe.discard = foe.discard | card


def own_discards(k: Kit, s: State, attack: Attack, reach: Reach) -> None:
    """Discard energy that an attack takes from the attacker [E5]."""
    xp, me, row = k.xp, s.me, attack.row
    held = pick(k, me.energy[:, 0], row.type)
    count = xp.where(reach.any & (row.discard == Discard.OWN), xp.minimum(row.count, held), 0)
    spend(k, me, 0, row.type, count)
    everything = reach.any & (row.discard == Discard.OWN_ALL)
    spend_all(k, me, everything & (SLOT == 0))


def energy_from_zone(
    k: Kit, s: State, a: Answer, attack: Attack, deed: Deed, reach: Reach, heads: Any
) -> None:
    """Attach energy from the zone: some energies of one type to one Pokemon."""
    xp, me, row = k.xp, s.me, attack.row
    own = a.main(actions.ATTACH, 4)
    charge, active = deed.does(Op.CHARGE), deed.does(Op.CHARGE_ACTIVE)
    flips, rock = deed.does(Op.FLIP_CHARGE), deed.does(Op.ROCK_CHARGE)
    by_attack = reach.any & (row.attach == Attach.SELF)
    answered = a.ask == Ask.ENERGISE
    when = own | charge | active | flips | rock | by_attack | answered
    slot = xp.where(active | by_attack, 0, a.slot)
    kind = xp.where(own, me.zone, xp.where(by_attack | answered, row.type, deed.type))
    from_zone(k, s, when, slot, kind, xp.where(flips, heads, 1))
    me.zone = xp.where(own, NO_ENERGY, me.zone)


def healing(k: Kit, s: State, a: Answer, attack: Attack, deed: Deed, reach: Reach) -> None:
    """Apply everything that heals."""
    xp, row, of = k.xp, attack.row, facts(s.me)
    everyone = xp.where(deed.does(Op.HEAL_ALL), deed.count, 0)
    one = xp.where(deed.does(Op.POTION) | deed.does(Op.HEAL_TYPE), deed.count, 0)
    rippling = (a.ask == Ask.RIPPLES) & (a.action != actions.PASS)
    one = xp.where(rippling, pick(k, of.op_count, a.count), one)
    own = row.heal + xp.where(row.drain == 1, attack.took, 0)
    own = xp.where(reach.any, own, 0)
    heal(k, s, s.me, everyone + xp.where(a.slot == SLOT, one, 0) + xp.where(SLOT == 0, own, 0))


def shuriken(k: Kit, s: State, a: Answer) -> None:
    """Deal damage by an ability [B5]."""
    amount = pick(k, facts(s.me).op_count, a.count)
    hurt(k, s, s.foe, k.xp.where((a.ask == Ask.SHURIKEN) & (a.slot == SLOT), amount, 0))


def turn_effects(k: Kit, s: State, deed: Deed) -> None:
    """Apply what trainer cards change for this turn, or at once without chance."""
    xp, me, foe = k.xp, s.me, s.foe
    s.speed = s.speed + xp.where(deed.does(Op.SPEED), deed.count, 0)
    s.press = s.press + xp.where(deed.does(Op.PRESS), deed.count, 0)
    s.blaze = s.blaze + xp.where(deed.does(Op.BLAZE), deed.count, 0)
    looked = xp.where(deed.does(Op.SCAN), deed.count, 0)
    look(k, me, looked)
    gathers = deed.does(Op.GATHER)
    moved = xp.where(gathers & (TYPE[:, None] == deed.type) & (SLOT > 0), me.energy, 0)
    together = total(xp.moveaxis(moved, 1, 0))[:, None]
    me.energy = me.energy - moved + xp.where(SLOT == 0, together, 0)
    put_question(k, s, deed.does(Op.SHURIKEN), Ask.SHURIKEN, count=deed.user)
    put_question(k, s, deed.does(Op.DRIVE_OFF) & has_bench(foe), Ask.SWITCH_OUT, asked=1)
    put_question(k, s, deed.does(Op.LURE_BASIC), Ask.DRAG)


def cards(
    k: Kit, s: State, a: Answer, attack: Attack, deed: Deed, reach: Reach, heads: Any, when: Any
) -> None:
    """Move cards: shown, returned, searched, shuffled in, drawn, discarded."""
    row = attack.row
    theirs, added, fetch, room = k.phase(
        when, lambda s: _leaving(k, s, a, attack, deed, reach, heads), s
    )
    found = k.phase(
        theirs | (fetch > 0),
        lambda s: reorder(k, s, theirs | (fetch > 0), theirs, added, fetch, row.type),
        s,
    )
    found = k.xp.where(fetch > 0, found, NO_CARD)
    k.phase(when, lambda s: _arriving(k, s, attack, deed, reach, fetch, room, found), s)


def _leaving(
    k: Kit, s: State, a: Answer, attack: Attack, deed: Deed, reach: Reach, heads: Any
) -> Any:
    """Show and return cards, and decide which deck to search or shuffle."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    shown = deed.does(Op.REVEAL_HAND) | (reach.any & (row.reveal == 1))
    foe.revealed = xp.where(shown, foe.hand, foe.revealed)

    recalled = deed.does(Op.RECALL)
    fossil = discarded_fossil(a)
    shuffles = reach.foe & (row.shuffle_foe == 1)

    def leaving(s: State) -> Any:
        body = leave(k, s.me, (recalled & (SLOT == 0)) | fossil)
        back = xp.where(recalled, body, 0)
        s.me.hand, s.me.revealed = s.me.hand | back, s.me.revealed | back
        s.me.discard = s.me.discard | xp.where(recalled, 0, body)
        return leave(k, s.foe, shuffles & (SLOT == 0)).astype(np.int32)

    leaver = k.phase(recalled | any_of(fossil) | shuffles, leaving, s)
    me, foe = s.me, s.foe
    redraws = deed.does(Op.REDRAW)
    added = leaver | xp.where(redraws, foe.hand, 0)
    out_of_hand(foe, xp.where(redraws, foe.hand, 0))

    fetch = xp.where(reach.any, row.fetch, 0)
    fetch = xp.where(deed.does(Op.FETCH_BASIC), Fetch.BASIC, fetch)
    fetch = xp.where(deed.does(Op.ACADEMY) & (heads > 0), Fetch.POKEMON, fetch)
    room = first_room(k, me)
    can = xp.where(fetch == Fetch.NIDORAN, room < 4, k.popcount(me.hand) < FULL_HAND)
    fetch = xp.where(can, fetch, Fetch.NO).astype(np.int32)
    return shuffles | redraws, added.astype(np.int32), fetch, room.astype(np.int32)


def _arriving(
    k: Kit, s: State, attack: Attack, deed: Deed, reach: Reach, fetch: Any, room: Any, found: Any
) -> None:
    """Put what was found where it belongs; then draw and discard from the top."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    number = CARD.get(xp.where(found < NO_CARD, pick(k, me.cards, found), 0)[None], "number")
    benched = (fetch == Fetch.NIDORAN) & (found < NO_CARD)
    place(k, me, benched, room, found, k.rows(k.tables.slot, number), benched)
    me.hand = me.hand | xp.where(benched, 0, bit(k, found))
    mine = xp.where(deed.does(Op.DRAW), deed.count, xp.where(reach.any, row.draw, 0))
    draw(k, me, mine, MOST_DRAWN)
    draw(k, foe, xp.where(deed.does(Op.REDRAW), deed.count, 0), MOST_DRAWN)
    milled = xp.where(reach.any, row.mill, 0)
    mill(k, me, milled, MOST_DRAWN)
    mill(k, foe, milled, MOST_DRAWN)


def switches(k: Kit, s: State, a: Answer, paid: Any, bench: Any) -> None:
    """Switch the chosen Pokemon with the Active one [R4, R5, K4]."""
    promoted = a.ask == Ask.PROMOTE
    mine = paid | (a.ask == Ask.TELEPORT) | (promoted & (a.asked == 0))
    theirs = (a.ask == Ask.SWITCH_OUT) | (a.ask == Ask.DRAG) | (promoted & (a.asked == 1))
    switch(k, s.me, k.xp.where(paid, bench, a.slot), mine)
    switch(k, s.foe, a.slot, theirs)


def questions(k: Kit, s: State, a: Answer, attack: Attack, reach: Reach) -> None:
    """Put the questions that an attack asks after its damage."""
    xp, row = k.xp, attack.row
    behind = has_bench(s.foe)
    out = reach.foe & (row.change == Change.OUT) & behind
    put_question(k, s, out, Ask.SWITCH_OUT, asked=1)
    put_question(k, s, reach.foe & (row.change == Change.DRAG) & behind, Ask.DRAG)
    alive = s.me.damage[0] < hp(k, s, s.me)[0]
    leaves = reach.any & (row.change == Change.TELEPORT) & has_bench(s.me) & alive
    put_question(k, s, leaves, Ask.TELEPORT)

    answered = a.ask == Ask.ENERGISE
    begun = reach.any & (row.attach > Attach.SELF)
    left = xp.where(row.attach == Attach.HEADS, attack.heads, row.count)
    left = xp.where(answered, a.count - 1, left)
    once = row.attach == Attach.TWO
    mask = xp.where(answered & once, a.mask | (1 << a.slot), 0)
    fits = any_of(energise_fits(s, row, mask))
    asks = (answered | begun) & (left > 0) & fits
    put_question(k, s, asks, Ask.ENERGISE, count=left, mask=mask)
