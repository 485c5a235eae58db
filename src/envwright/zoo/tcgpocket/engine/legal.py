"""The legal answers to a question: 128 bits in four words.

Bits are action ids. Legality depends on what the player who is asked knows [P1, B2].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.cards import Kind
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.state import CARDS, Mark, Mind
from envwright.zoo.tcgpocket.engine.costs import cost_row, covered, current_row, retreat_cost
from envwright.zoo.tcgpocket.engine.kit import SLOT, Kit, any_of, lowest, pick, total, whole
from envwright.zoo.tcgpocket.engine.rows import Attach, Need, Op, Where
from envwright.zoo.tcgpocket.engine.slots import Operation, bench, energies, facts, has_bench, there
from envwright.zoo.tcgpocket.engine.state import NO_CARD, NO_ENERGY, Side, State
from envwright.zoo.tcgpocket.engine.tables import CARD
from envwright.zoo.tcgpocket.engine.targets import (
    EVOLVES_FROM_TURN,
    bare,
    bits_of,
    eevee_name,
    evolves,
    fitting,
)


def energise_fits(s: State, row: Any, mask: Any) -> Any:
    """Return own Pokemon on the Bench that an attack can attach to [ENERGISE], bool[4, B]."""
    of = facts(s.me)
    right = (row.attach == Attach.TWO) | (of.type == row.type)
    return bench(s.me) & right & (((mask >> SLOT) & 1) == 0)


def hit_fits(s: State, row: Any) -> Any:
    """Return own and other Pokemon that an attack may hit as well, bool[4, B] each."""
    where = row.where
    own = (there(s.me) & (where == Where.OWN)) | (bench(s.me) & (where == Where.OWN_BENCH))
    foe = (there(s.foe) & (where == Where.FOE)) | (bench(s.foe) & (where == Where.FOE_BENCH))
    return own, foe


def needs_met(k: Kit, s: State) -> tuple[Any, Any]:
    """Return two words of bits by `rows.Need`: the plain ones, and those with a type."""
    xp, me, of = k.xp, s.me, facts(s.me)
    room = any_of(~there(me)[1:])
    damaged = there(me) & (me.damage > 0)
    met = {
        Need.BASIC: room,
        Need.FOSSIL: room,
        Need.TOOL: any_of(bare(s)),
        Need.STADIUM: s.stadium_played == 0,
        Need.ALWAYS: s.turn >= 0,
        Need.HURT: any_of(damaged),
        Need.FOE_HAND: s.foe.hand != 0,
        Need.DECK: me.deck != 0,
        Need.ROCK: any_of(of.rock == 1),
        Need.RECALL: (of.muk[0] == 1) & has_bench(me),
        Need.FOE_BENCH: has_bench(s.foe),
    }
    plain = total(xp.stack([whole(mask) << need for need, mask in met.items()]))
    types = xp.where(there(me), 1 << of.type, 0)
    hurt_types = xp.where(damaged, types, 0)
    stored = bits_of(any_of_slots(bench(me) & (me.energy > 0)))
    stored = xp.where(of.raichu[0] == 1, stored, 0)
    typed = any_of(hurt_types) | any_of(types) << 10 | stored << 20
    return plain, typed


def any_of_slots(mask: Any) -> Any:
    """Return bool[8, B] from bool[8, 4, B]."""
    return mask[:, 0] | mask[:, 1] | mask[:, 2] | mask[:, 3]


def playable(k: Kit, s: State) -> Any:
    """Return bits of cards in hand that can be played [C5, P1-P6], int32[B]."""
    xp, me = k.xp, s.me
    plain, typed = needs_met(k, s)
    barred = (s.supporter == 1) | (me.barred == s.turn) | (facts(s.foe).op[0] == Op.BAR_SUPPORTERS)
    need, fits = CARD.get(me.cards[None], "need"), CARD.get(me.cards[None], "fits")
    supporter = CARD.get(me.cards[None], "supporter")
    met = xp.where(need >= 32, typed >> (need & 31), plain >> (need & 31)) & 1
    evolving = (need == Need.EVOLUTION) & any_of(
        xp.stack([evolves_at(k, s, fits, slot) for slot in range(4)])
    )
    ok = (met == 1) & ~((supporter == 1) & barred) | evolving
    if not k.settings.same_stadium:
        ok = ok & ~((need == Need.STADIUM) & (fits == s.stadium_fits) & (s.stadium > 0))
    bits = total(whole(ok) << np.arange(CARDS, dtype=np.int32)[:, None])
    return bits & unlike(me)


def evolves_at(k: Kit, s: State, fits: Any, slot: int) -> Any:
    """Return which cards evolve the Pokemon in a slot, bool[20, B]."""
    me, of = s.me, facts(s.me)
    ready = (me.card[slot] != NO_CARD) & (me.fresh[slot] == 0) & (s.turn >= EVOLVES_FROM_TURN)
    name = k.xp.where(ready, of.name[slot], -1)
    eevee = k.xp.where(ready & (of.op[slot] == Op.VEEVOLVE), eevee_name(k), -1)
    return (fits == name) | (fits == eevee)


def unlike(side: Side) -> Any:
    """Return cards in hand without second ones of the same number [C5]."""
    return side.hand & ~((side.hand << 1) & side.twins)


def ability_usable(k: Kit, s: State) -> Any:
    """Return which abilities can be used, bool[4, B] [B1, B2]."""
    me, foe, of, theirs = s.me, s.foe, facts(s.me), facts(s.foe)
    op, active = of.op, SLOT == 0
    can = (
        (op == Op.SHURIKEN)
        | (op == Op.PENDULUM)
        | (op == Op.CHARGE)
        | ((op == Op.CHARGE_ACTIVE) & (of.type[0] == of.op_type))
        | ((op == Op.GAS_LEAK) & active & (foe.poisoned == 0))
        | ((op == Op.HEAL_ALL) & any_of(there(me) & (me.damage > 0)))
        | ((op == Op.SCAN) & (me.deck != 0))
        | ((op == Op.DRIVE_OFF) & has_bench(foe))
        | ((op == Op.LURE_BASIC) & active & any_of(bench(foe) & (theirs.stage == 0)))
    )
    return there(me) & (of.kind == Kind.POKEMON) & can & (me.used == 0)


def attack_usable(k: Kit, s: State) -> Any:
    """Return which attacks can be used, bool[2, B] [A1, A2]."""
    me, of = s.me, facts(s.me)
    able = (me.mind != Mind.ASLEEP) & (me.mind != Mind.PARALYSED)
    able = able & (me.marks[Mark.NO_ATTACK] != s.turn)
    usable = [
        able & (of.attacks[0] > i) & covered(k, s, cost_row(k, index[0]))
        for i, index in enumerate((of.attack0, of.attack1))
    ]
    return k.xp.stack(usable)


def retreat_allowed(k: Kit, s: State) -> Any:
    """Return whether a retreat is allowed, bool[B] [R1, R2]."""
    me = s.me
    free = (me.mind != Mind.ASLEEP) & (me.mind != Mind.PARALYSED)
    free = free & (me.marks[Mark.NO_RETREAT] != s.turn) & (facts(me).kind[0] != Kind.FOSSIL)
    return free & (s.retreated == 0) & (energies(me)[0] >= retreat_cost(k, s))


def main_words(k: Kit, s: State) -> tuple[Any, Any]:
    """Return the first two words of the free part of a turn [T4]."""
    xp, me, of = k.xp, s.me, facts(s.me)
    here = there(me)
    attach = xp.where(me.zone != NO_ENERGY, bits_of(here), 0)
    retreat = xp.where(retreat_allowed(k, s), bits_of(here) >> 1, 0)
    first = (
        1 << actions.PASS
        | playable(k, s) << actions.PLAY
        | attach << actions.ATTACH
        | retreat << actions.RETREAT
        | bits_of(ability_usable(k, s)) << actions.ABILITY
    )
    academy = (Operation(s.stadium_word).op == Op.ACADEMY) & (s.stadium_used == 0) & (me.deck != 0)
    alone = total(whole(here)) < 2
    fossils = xp.where(alone, 0, bits_of(here & (of.kind == Kind.FOSSIL)))
    second = (
        bits_of(attack_usable(k, s))
        | whole(academy) << (actions.STADIUM - 32)
        | fossils << (actions.DISCARD_FOSSIL - 32)
    )
    return first.astype(np.int32), second.astype(np.int32)


def slot_choices(k: Kit, s: State) -> Any:
    """Return the eight bits of CHOOSE_SLOT for all questions."""
    xp, me, foe = k.xp, s.me, s.foe
    theirs = facts(foe)
    word = pick(k, me.cards, s.ask_card)
    need, fits = CARD.get(word[None], "need"), CARD.get(word[None], "fits")
    row = current_row(k, s)
    hit_own, hit_foe = hit_fits(s, row)
    of = facts(me)
    ripples_type = pick(k, of.op_type, s.ask_count)
    own_bench = xp.where(s.asked == 0, bits_of(bench(me)), bits_of(bench(foe)))
    basics_only = s.stage == Stage.MAIN
    dragged = bench(foe) & (~basics_only | (theirs.stage == 0))
    answers = {
        Ask.EVOLVE: bits_of(evolves(k, s, fits)),
        Ask.TOOL: bits_of(bare(s)),
        Ask.TRAINER: bits_of(fitting(k, s, need)),
        Ask.PROMOTE: own_bench,
        Ask.SWITCH_OUT: own_bench,
        Ask.DRAG: bits_of(dragged) << 4,
        Ask.TELEPORT: own_bench,
        Ask.HIT: bits_of(hit_own) | bits_of(hit_foe) << 4,
        Ask.SHURIKEN: bits_of(there(foe)) << 4,
        Ask.ENERGISE: bits_of(energise_fits(s, row, s.ask_mask)),
        Ask.RIPPLES: bits_of(there(me) & (me.damage > 0) & (of.type == ripples_type)),
        Ask.COPY_POKEMON: bits_of(there(foe) & (theirs.attacks > 0)) << 4,
    }
    chosen = xp.zeros_like(s.ask)
    for ask, bits in answers.items():
        chosen = xp.where(s.ask == ask, bits, chosen)
    return chosen


def setup_plays(k: Kit, s: State) -> Any:
    """Return bits of Basics that can be placed while setting up [S5]."""
    need = CARD.get(s.me.cards[None], "need")
    basics = total(whole(need == Need.BASIC) << np.arange(CARDS, dtype=np.int32)[:, None])
    room = (s.ask == Ask.SETUP_ACTIVE) | any_of(~there(s.me)[1:])
    return k.xp.where(room, basics & unlike(s.me), 0)


def legal(k: Kit, s: State) -> Any:
    """Return a bit for each legal action, int32[4, B]; none where no player is asked."""
    xp = k.xp
    main = s.ask == Ask.MAIN
    first, second = k.phase(main, lambda s: main_words(k, s), s)
    others = k.phase(~main & (s.ask > 0), lambda s: other_words(k, s), s)
    zero = xp.zeros_like(s.ask)
    words = xp.where(main, xp.stack([first, second, zero, zero]), others)
    return xp.where(s.ask == Ask.NOTHING, 0, words).astype(np.int32)


def other_words(k: Kit, s: State) -> Any:
    """Return the words of all questions except the free part of a turn."""
    xp = k.xp
    setup = (s.ask == Ask.SETUP_ACTIVE) | (s.ask == Ask.SETUP_BENCH)
    may_pass = (s.ask == Ask.SETUP_BENCH) | (s.ask == Ask.RIPPLES)
    first = xp.where(setup, setup_plays(k, s) << actions.PLAY, 0) | whole(may_pass)
    second = slot_choices(k, s) << (actions.CHOOSE_SLOT - 32)
    pay = xp.where(s.ask == Ask.PAY, bits_of(s.me.energy[:, 0] > 0), 0)
    copied = pick(k, facts(s.foe).attacks, s.ask_mask)
    copy = xp.where(s.ask == Ask.COPY_ATTACK, (1 << copied) - 1, 0)
    third = (pay & 0x7F) << (actions.CHOOSE_ENERGY - 64)
    fourth = (pay >> 7) | copy << (actions.CHOOSE_ATTACK - 96)
    return xp.stack([first, second, third, fourth]).astype(np.int32)


def choices(k: Kit, words: Any) -> Any:
    """Return how many answers there are, int32[B]."""
    return total(k.popcount(words))


def only_answer(k: Kit, words: Any) -> Any:
    """Return the lowest legal action, int32[B]; 0 if there is none."""
    found = k.xp.zeros_like(words[0])
    for word in reversed(range(4)):
        bits = words[word]
        place = lowest(k, bits) + 32 * word
        found = k.xp.where(bits != 0, place, found)
    return found
