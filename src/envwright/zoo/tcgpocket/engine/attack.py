"""An attack up to its damage: confusion, copies, targets, sums [A1-A9, A11]."""

from __future__ import annotations

from typing import Any

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import MARK_AMOUNTS, Mark, Mind
from envwright.zoo.tcgpocket.engine import chance
from envwright.zoo.tcgpocket.engine.answers import Answer, put_question
from envwright.zoo.tcgpocket.engine.costs import attack_row, covered, current_index, typed_costs
from envwright.zoo.tcgpocket.engine.kit import SLOT, Kit, any_of, pick, running, total, whole
from envwright.zoo.tcgpocket.engine.legal import hit_fits
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Copy, Op, Source
from envwright.zoo.tcgpocket.engine.slots import (
    TYPE,
    Operation,
    bench,
    energies,
    facts,
    hp,
    hurt,
    there,
)
from envwright.zoo.tcgpocket.engine.state import State, tree
from envwright.zoo.tcgpocket.engine.tables import CARD

WEAKNESS = 2  # in tens, as all damage
_TENS = {mark: amount // 10 for mark, amount in MARK_AMOUNTS.items()}


@tree
class Attack:
    """An attack that is being made."""

    row: Fields
    resolves: Any  # bool[B]: goes on to coins and damage now
    hit: Any  # bool[B]: a target was chosen
    live: Any = None  # bool[B]: it was not stopped by its coin
    heads: Any = None
    took: Any = None  # int32[B]: damage to the foe after A5-A7


def number_in(k: Kit, side: Any, slot: Any) -> Any:
    """Return the number of the card in a slot."""
    word = pick(k, side.cards, pick(k, side.card, slot))
    return CARD.get(word[None], "number")


def prepare(k: Kit, s: State, a: Answer) -> Attack:
    """Go from an answer to the attack whose coins are flipped now, or to the next question."""
    xp, me, foe = k.xp, s.me, s.foe
    theirs = facts(foe)
    starts = a.main(actions.ATTACK, 4)
    s.stage = xp.where(starts, Stage.ATTACK, s.stage)
    here = xp.zeros_like(s.turn)
    s.attack_card = xp.where(starts, number_in(k, me, here), s.attack_card)
    s.attack_index = xp.where(starts, a.action - actions.ATTACK, s.attack_index)
    confused = starts & (me.mind == Mind.CONFUSED)
    failed = confused & (chance.below(k, s, confused, Purpose.CONFUSION, here + 2) == 0)

    index = current_index(k, s)
    copying = a.ask == Ask.COPY_ATTACK
    choice = a.action - actions.CHOOSE_ATTACK
    copied_index = xp.where(
        choice == 0, pick(k, theirs.attack0, a.mask), pick(k, theirs.attack1, a.mask)
    )
    copied_index = xp.where(copying, copied_index, 0)
    copied = attack_row(k, copied_index)
    free = attack_row(k, index).copy == Copy.ACTIVE
    usable = copying & (copied.copy == Copy.NO) & (free | covered(k, s, copied))
    s.attack_card = xp.where(usable, number_in(k, foe, a.mask), s.attack_card)
    s.attack_index = xp.where(usable, choice, s.attack_index)
    row = attack_row(k, xp.where(usable, copied_index, index))

    put_question(k, s, a.ask == Ask.COPY_POKEMON, Ask.COPY_ATTACK, mask=a.slot)
    begins = (starts & ~failed) | usable
    asks_copy = begins & (row.copy == Copy.ANY) & any_of(there(foe) & (theirs.attacks > 0))
    put_question(k, s, asks_copy, Ask.COPY_POKEMON)
    hit_own, hit_foe = hit_fits(s, row)
    asks_hit = begins & any_of(hit_own | hit_foe)
    put_question(k, s, asks_hit, Ask.HIT)
    hit = a.ask == Ask.HIT
    return Attack(row, (begins & ~asks_copy & ~asks_hit) | hit, hit)


def stop(k: Kit, s: State, attack: Attack, heads: Any) -> None:
    """Apply coins that decide before damage: the attack fails, or a copy is chosen."""
    row = attack.row
    attack.heads = heads
    attack.live = attack.resolves & ~((row.stop == 1) & (heads == 0))
    chooses = attack.live & (row.copy == Copy.ACTIVE) & (heads > 0)
    chooses = chooses & (facts(s.foe).attacks[0] > 0)
    put_question(k, s, chooses, Ask.COPY_ATTACK)


def quantity(k: Kit, s: State, attack: Attack) -> Any:
    """Return the quantity that extra damage counts, int32[B]."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    mine, theirs = facts(me), facts(foe)
    sitting = bench(me)
    count = lambda mask: total(whole(mask))  # noqa: E731
    relayed = (me.relay_turn > 0) & (me.relay_turn == s.turn - 2)
    counted = {
        Source.HEADS: attack.heads,
        Source.ALL_HEADS: whole(attack.heads == row.coins),
        Source.LATIOS: whole(any_of(sitting & (mine.latios == 1))),
        Source.NIDOKING: count(sitting & (mine.nidoking == 1)),
        Source.EVOLVED: me.evolved[0],
        Source.TOOL: whole(me.tool[0] < 20),
        Source.EXTRA: whole(_extra(k, s, row) >= row.count),
        Source.HURT: whole(me.damage[0] > 0),
        Source.FOE_HURT: whole(foe.damage[0] > 0),
        Source.FOE_POISONED: foe.poisoned,
        Source.FOE_EVOLVED: whole(theirs.stage[0] > 0),
        Source.FOE_ENERGY: energies(foe)[0],
        Source.BENCH: count(sitting),
        Source.BENCH_TYPE: count(sitting & (mine.type == row.type)),
        Source.DAMAGE: me.damage[0],
        Source.RELAY: whole(relayed),
        Source.RELAYS: me.relays,
    }
    found = xp.zeros_like(s.turn)
    for source, value in counted.items():
        found = xp.where(row.source == source, value, found)
    return found


def _extra(k: Kit, s: State, row: Fields) -> Any:
    """Return the row's energy that remains once the cost is paid, Colorless by others first."""
    left = s.me.energy[:, 0] - typed_costs(k, row)
    wanted = row.type == TYPE
    others = total(k.xp.where(wanted, 0, k.xp.maximum(left, 0)))
    own = total(k.xp.where(wanted, left, 0))
    return own - k.xp.maximum(row.colorless - others, 0)


def targets(k: Kit, s: State, a: Answer, attack: Attack, thrown: Any) -> tuple[Any, Any]:
    """Return base damage, int32[4, B] each: to the own side, to the other."""
    xp, row, live = k.xp, attack.row, attack.live
    damage = xp.where(row.instead == 1, 0, row.damage) + row.more * quantity(k, s, attack)
    chosen = attack.hit & (a.slot == SLOT)
    hit = xp.where(chosen, row.hit, 0)
    recoil = xp.where((row.on_tails == 0) | (attack.heads == 0), row.recoil, 0)
    own = xp.where(SLOT == 0, recoil, 0) + xp.where(a.own, hit, 0)
    foe = xp.where(SLOT == 0, damage, row.spread) + xp.where(a.own, 0, hit)
    foe = foe + thrown * row.hit
    return xp.where(live, own, 0), xp.where(live & there(s.foe), foe, 0)


def thrown_at(k: Kit, s: State, summed: Any) -> Any:
    """Return how often each of the other side was drawn, from a sum of bytes, int32[4, B]."""
    order = running(k, whole(there(s.foe))) - 1
    counts = (summed >> (8 * k.xp.maximum(order, 0))) & 255
    return k.xp.where(there(s.foe), counts, 0)


def suffered(k: Kit, s: State, attack: Attack, base: Any) -> Any:
    """Return what the other side takes [A5-A7], int32[4, B]."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    mine, theirs = facts(me), facts(foe)
    mark = lambda side, which: whole(side.marks[which] == s.turn)  # noqa: E731
    raised = s.press + xp.where(mine.blazing[0] == 1, s.blaze, 0) + row.frenzy * me.frenzy
    raised = raised + xp.where(row.boost > 0, mark(me, Mark.BOOST) * _TENS[Mark.BOOST], 0)
    raised = raised - mark(me, Mark.GROWL) * _TENS[Mark.GROWL]
    active = SLOT == 0
    amount = xp.maximum(base + xp.where(active, raised, 0), 0)
    less = _armor(k, s) + xp.where(active, mark(foe, Mark.GUARD) * _TENS[Mark.GUARD], 0)
    weak = xp.where(active & (theirs.weakness == mine.type[0]), WEAKNESS, 0)
    if k.settings.weakness_first:
        amount = xp.maximum(amount + weak - less, 0)
    else:
        amount = xp.maximum(amount - less, 0) + weak
    shut = active & ((mark(foe, Mark.SHIELD) + mark(foe, Mark.IMMUNE)) > 0)
    return xp.where((base > 0) & ~shut, amount, 0)


def _armor(k: Kit, s: State) -> Any:
    """Return what abilities of the other side take off, int32[4, B]."""
    of = facts(s.foe)
    arceus = any_of(of.arceus == 1)
    holds = (
        (of.op == Op.ARMOR)
        | ((of.op == Op.ARMOR_TYPE) & (of.op_type == facts(s.me).type[0]))
        | ((of.op == Op.ARCEUS_ARMOR) & arceus)
    )
    return k.xp.where(holds, of.op_count, 0)


def deal(k: Kit, s: State, attack: Attack, own: Any, base: Any) -> None:
    """Deal damage to the other side, to the own, then counter-damage [A8, A9]."""
    xp, me, foe, row = k.xp, s.me, s.foe, attack.row
    taken = suffered(k, s, attack, base)
    hurt(k, s, foe, taken)
    hurt(k, s, me, own)
    of, gear = facts(foe), Operation(foe.gear[0])
    counter = xp.where(of.op[0] == Op.COUNTER, of.op_count[0], 0)
    counter = counter + xp.where(gear.op == Op.HELMET, gear.count, 0)
    counter = counter + xp.where(foe.marks[Mark.SPIKES] == s.turn, _TENS[Mark.SPIKES], 0)
    hurt(k, s, me, xp.where((SLOT == 0) & (taken[0] > 0), counter, 0))
    attack.took = taken[0]
    relays = attack.live & (row.relay == 1)
    me.relay_turn = xp.where(relays, s.turn, me.relay_turn)
    me.relays = me.relays + whole(relays)


def foe_alive(k: Kit, s: State) -> Any:
    """Return where the Defending Pokemon has HP left, bool[B]."""
    return s.foe.damage[0] < hp(k, s, s.foe)[0]
