"""Play cards from the hand, the turn's energy, retreats, fossils [T4, P, V, D, F, R]."""

from __future__ import annotations

from typing import Any

from envwright.zoo.tcgpocket.cards import Kind
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import SLOTS
from envwright.zoo.tcgpocket.engine.answers import Answer, put_question
from envwright.zoo.tcgpocket.engine.costs import retreat_cost
from envwright.zoo.tcgpocket.engine.kit import SLOT, Kit, any_of, bit, lowest, pick, put, whole
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Need, Op
from envwright.zoo.tcgpocket.engine.slots import (
    energies,
    evolve,
    facts,
    first_room,
    operation_word,
    place,
    spend,
    spend_all,
    there,
)
from envwright.zoo.tcgpocket.engine.state import State, tree
from envwright.zoo.tcgpocket.engine.tables import SLOT as SLOT_PACKING
from envwright.zoo.tcgpocket.engine.targets import bits_of
from envwright.zoo.tcgpocket.engine.zones import out_of_hand


@tree
class Deed:
    """The current operation of an ability, trainer card or Stadium: all [B], `op` 0 for nothing."""

    op: Any
    type: Any
    count: Any
    user: Any  # slot of the ability
    target: Any  # slot that was chosen

    def does(self, op: Op) -> Any:
        """Return the lanes in which an operation is done."""
        return self.op == op


def play_cards(k: Kit, s: State, a: Answer) -> None:
    """Bring Basics, fossils, evolutions, Tools and Stadiums into play, or ask where."""
    xp, me, need = k.xp, s.me, a.card_facts.need
    main = a.main(actions.PLAY, 20)
    opening = a.ask == Ask.SETUP_ACTIVE
    benched = (a.ask == Ask.SETUP_BENCH) & (a.action != actions.PASS)
    basic = main & ((need == Need.BASIC) | (need == Need.FOSSIL))
    placed = opening | benched | basic
    room = xp.where(opening, 0, first_room(k, me))
    evolving, tooling = a.ask == Ask.EVOLVE, a.ask == Ask.TOOL
    stadium = main & (need == Need.STADIUM)
    place(k, me, placed, room, a.card, a.card_words, basic)
    evolve(k, me, evolving, a.slot, a.card, a.card_words)
    operation = operation_word(k, a.card_facts.number)
    me.tool = put(k, me.tool, a.slot, a.card, tooling)
    me.gear = put(k, me.gear, a.slot, operation, tooling)
    _play_stadium(k, s, a, stadium, operation)
    leaves = placed | evolving | tooling | stadium
    out_of_hand(me, xp.where(leaves, bit(k, a.card), 0))
    put_question(k, s, main & (need == Need.EVOLUTION), Ask.EVOLVE, card=a.card)
    put_question(k, s, main & (need == Need.TOOL), Ask.TOOL, card=a.card)
    put_question(k, s, opening | benched, Ask.SETUP_BENCH)
    _ask_ripples(k, s, a, evolving)


def _ask_ripples(k: Kit, s: State, a: Answer, evolving: Any) -> None:
    of, new = facts(s.me), Fields(SLOT_PACKING, a.card_words)
    candidates = there(s.me) & (s.me.damage > 0) & (of.type == new.op_type)
    asks = evolving & (new.op == Op.RIPPLES) & any_of(candidates)
    put_question(k, s, asks, Ask.RIPPLES, count=a.slot)


def _play_stadium(k: Kit, s: State, a: Answer, when: Any, operation: Any) -> None:
    xp = k.xp
    old = bit(k, s.stadium_card)
    s.me.discard = s.me.discard | xp.where(when & (s.stadium_owner == 0), old, 0)
    s.foe.discard = s.foe.discard | xp.where(when & (s.stadium_owner == 1), old, 0)
    s.stadium = xp.where(when, a.card_facts.number, s.stadium)
    s.stadium_fits = xp.where(when, a.card_facts.fits, s.stadium_fits)
    s.stadium_word = xp.where(when, operation, s.stadium_word)
    s.stadium_owner = xp.where(when, 0, s.stadium_owner)
    s.stadium_card = xp.where(when, a.card, s.stadium_card)
    s.stadium_played = xp.where(when, 1, s.stadium_played)


_TARGETED = (Op.POTION, Op.HEAL_TYPE, Op.FLIP_CHARGE, Op.ROCK_CHARGE)


def deeds(k: Kit, s: State, a: Answer) -> Deed:
    """Discard a trainer card that acts now and mark what is used; return the operation."""
    xp, me = k.xp, s.me
    card = Fields(SLOT_PACKING, a.card_words)
    trainer = a.main(actions.PLAY, 20) & ((card.kind == Kind.ITEM) | (card.kind == Kind.SUPPORTER))
    targeted = any_of(xp.stack([card.op == op for op in _TARGETED]))
    put_question(k, s, trainer & targeted, Ask.TRAINER, card=a.card)
    acts = (trainer & ~targeted) | (a.ask == Ask.TRAINER)
    gone = xp.where(acts, bit(k, a.card), 0)
    out_of_hand(me, gone)
    me.discard = me.discard | gone
    s.supporter = xp.where(acts & (card.kind == Kind.SUPPORTER), 1, s.supporter)

    of, able = facts(me), a.main(actions.ABILITY, SLOTS)
    me.used = put(k, me.used, a.slot, 1, able)
    stadium = a.main(actions.STADIUM)
    s.stadium_used = xp.where(stadium, 1, s.stadium_used)
    words = {SLOT_PACKING.places["op"][0]: s.stadium_word}

    def chosen(name: str) -> Any:
        value = xp.where(acts, getattr(card, name), 0)
        value = xp.where(able, pick(k, getattr(of, name), a.slot), value)
        return xp.where(stadium, SLOT_PACKING.get(words, name), value)

    return Deed(chosen("op"), chosen("op_type"), chosen("op_count"), a.slot, a.slot)


def retreat(k: Kit, s: State, a: Answer) -> tuple[Any, Any]:
    """Pay for a retreat up to a question [R3]; return whether it is paid, and the switch."""
    xp, me = k.xp, s.me
    begun, paying = a.main(actions.RETREAT, SLOTS - 1), a.ask == Ask.PAY
    s.retreated = xp.where(begun, 1, s.retreated)
    kind = xp.where(paying, a.action - actions.CHOOSE_ENERGY, 0)
    spend(k, me, 0, kind, whole(paying))
    due = xp.where(begun, retreat_cost(k, s), a.count - 1)
    bench = xp.where(begun, a.slot, a.mask)
    busy = begun | paying
    everything = busy & (due == energies(me)[0])
    spend_all(k, me, everything & (SLOT == 0))
    due = xp.where(everything, 0, due)
    if k.settings.retreat_payment == "fixed":
        for last in reversed(range(8)):
            count = xp.where(busy, xp.minimum(due, me.energy[last, 0]), 0)
            spend(k, me, 0, last, count)
            due = due - count
    else:
        kinds = bits_of(me.energy[:, 0] > 0)
        single = busy & ((kinds & (kinds - 1)) == 0)  # nobody need be asked which [C6]
        spend(k, me, 0, lowest(k, kinds), xp.where(single, due, 0))
        due = xp.where(single, 0, due)
    put_question(k, s, busy & (due > 0), Ask.PAY, count=due, mask=bench)
    return busy & (due == 0), bench


def discarded_fossil(a: Answer) -> Any:
    """Return slots whose fossil is discarded [F3], bool[4, B]."""
    return a.main(actions.DISCARD_FOSSIL, SLOTS) & (a.slot == SLOT)
