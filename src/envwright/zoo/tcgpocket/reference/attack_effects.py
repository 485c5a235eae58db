"""Effects of attacks after damage, by family; docs/tcgpocket-rules.md tells each in words."""

from __future__ import annotations

from collections.abc import Callable

from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.damage import attach_from_zone
from envwright.zoo.tcgpocket.reference.state import Pokemon, Table
from envwright.zoo.tcgpocket.reference.strike import Strike, current

AFTER: dict[str, Callable] = {}


def after(function: Callable) -> Callable:
    """Registers what a family does after damage."""
    AFTER[function.__name__.removeprefix("_")] = function
    return function


# Energy


@after
def _discard_own(s: Strike, kind: int, count: int) -> None:
    zones.spend(s.me, s.attacker, kind, count)


@after
def _discard_own_all(s: Strike) -> None:
    zones.spend_all(s.me, s.attacker)


@after
def _discard_own_random(s: Strike) -> None:
    zones.spend_random(s.table, s.me, s.attacker)


@after
def _discard_foe_energy(s: Strike) -> None:
    if s.affects():
        zones.spend_random(s.table, s.foe, s.defender)


@after
def _flip_discard_foe_energy(s: Strike) -> None:
    if s.heads():
        _discard_foe_energy(s)


@after
def _attach_self(s: Strike, kind: int) -> None:
    if s.stands():
        attach_from_zone(s.table, s.me, s.attacker, kind)


@after
def _attach_bench(s: Strike, _kind: int) -> None:
    _energise(s.table, 1)


@after
def _attach_two(s: Strike, _kind: int) -> None:
    _energise(s.table, 2)


@after
def _flips_attach(s: Strike, count: int, _kind: int) -> None:
    _energise(s.table, s.coins(count))


def _energise(table: Table, count: int, done: int = 0) -> None:
    if count and energisable(table, done):
        table.ask(Ask.ENERGISE, table.player, count=count, mask=done)


def energisable(table: Table, done: int) -> list[int]:
    """Slots of the Bench that this attack may attach energy to; `done` are bits of slots."""
    effect = current(table).effect
    kind = None if effect.family == "attach_two" else effect.arguments[-1]
    return [
        slot
        for slot in table.me.benched
        if not done >> slot & 1 and kind in (None, table.me.at(slot).card.type)
    ]


def energise(table: Table, slot: int, count: int, done: int) -> None:
    """One energy goes to a slot of the Bench; the next may follow."""
    effect = current(table).effect
    pokemon = table.me.slots[slot]
    assert pokemon
    attach_from_zone(table, table.me, pokemon, effect.arguments[-1])
    if effect.family == "attach_two":
        done |= 1 << slot
    _energise(table, count - 1, done)


# Healing


@after
def _heal_self(s: Strike, amount: int) -> None:
    if s.stands():
        zones.heal(s.attacker, amount)


@after
def _flip_heal(s: Strike, amount: int) -> None:
    if s.heads():
        _heal_self(s, amount)


@after
def _drain(s: Strike) -> None:
    _heal_self(s, s.dealt)


# Special Conditions


def _set_mind(s: Strike, mind: Mind) -> None:
    if s.affects():
        s.foe.mind = mind


@after
def _sleep(s: Strike) -> None:
    _set_mind(s, Mind.ASLEEP)


@after
def _confuse(s: Strike) -> None:
    _set_mind(s, Mind.CONFUSED)


@after
def _flip_paralyse(s: Strike) -> None:
    if s.heads():
        _set_mind(s, Mind.PARALYSED)


@after
def _poison(s: Strike) -> None:
    if s.affects():
        s.foe.poisoned = True


@after
def _flip_burn(s: Strike) -> None:
    if s.heads() and s.affects():
        s.foe.burned = True


@after
def _sleep_self(s: Strike) -> None:
    s.me.mind = Mind.ASLEEP


# What lasts for a turn


def _mark_foe(s: Strike, mark: Mark) -> None:
    if s.affects():
        s.defender.marks[mark] = s.table.turn + 1


def _mark_self(s: Strike, mark: Mark, turns: int = 1) -> None:
    s.attacker.marks[mark] = s.table.turn + turns


@after
def _growl(s: Strike, _less: int) -> None:
    _mark_foe(s, Mark.GROWL)


@after
def _no_attack(s: Strike) -> None:
    _mark_foe(s, Mark.NO_ATTACK)


@after
def _flip_no_attack(s: Strike) -> None:
    if s.heads():
        _mark_foe(s, Mark.NO_ATTACK)


@after
def _no_retreat(s: Strike) -> None:
    _mark_foe(s, Mark.NO_RETREAT)


@after
def _guard(s: Strike, _less: int) -> None:
    _mark_self(s, Mark.GUARD)


@after
def _spikes(s: Strike, _damage: int) -> None:
    _mark_self(s, Mark.SPIKES)


@after
def _flip_shield(s: Strike) -> None:
    if s.heads():
        _mark_self(s, Mark.SHIELD)


@after
def _flip_immune(s: Strike) -> None:
    if s.heads():
        _mark_self(s, Mark.IMMUNE)


@after
def _boost_next(s: Strike, _more: int) -> None:
    _mark_self(s, Mark.BOOST, turns=2)


@after
def _frenzy(s: Strike, _more: int) -> None:
    s.attacker.frenzy += 1


@after
def _no_supporters(s: Strike) -> None:
    s.foe.no_supporter = s.table.turn + 1


# Cards and places


@after
def _draw(s: Strike, count: int) -> None:
    zones.draw(s.me, count)


@after
def _fetch_type(s: Strike, kind: int) -> None:
    zones.fetch(s.table, s.me, lambda card: zones.is_pokemon(card) and card.type == kind)


@after
def _fetch_pokemon(s: Strike) -> None:
    zones.fetch(s.table, s.me, zones.is_pokemon)


@after
def _bench_nidoran(s: Strike) -> None:
    slot = s.me.free_bench()
    if slot is None:
        return
    card = zones.find(s.table, s.me, lambda card: card.name == "Nidoran♂")
    if card is not None:
        s.me.slots[slot] = Pokemon(card, s.me.cards[card], fresh=True)


@after
def _discard_foe_hand(s: Strike) -> None:
    if s.foe.hand:
        card = s.foe.hand[s.table.chance.below(Purpose.CARD, len(s.foe.hand))]
        zones.from_hand(s.foe, card)
        s.foe.discard.append(card)


@after
def _flip_discard_foe_hand(s: Strike) -> None:
    if s.heads():
        _discard_foe_hand(s)


@after
def _mill_both(s: Strike, count: int) -> None:
    for player in (s.me, s.foe):
        for _ in range(min(count, len(player.deck))):
            player.discard.append(zones.take_top(player))


@after
def _reveal_hand(s: Strike) -> None:
    s.foe.revealed = set(s.foe.hand)


@after
def _flip_shuffle_foe(s: Strike) -> None:
    if s.heads() and s.affects():
        s.foe.deck += sorted(zones.leave_play(s.foe, 0))
        zones.shuffle(s.table, s.foe)


@after
def _switch_out(s: Strike) -> None:
    if s.affects() and s.foe.benched:
        s.table.ask(Ask.SWITCH_OUT, 1 - s.table.player)


@after
def _flip_drag(s: Strike) -> None:
    if s.heads() and s.affects() and s.foe.benched:
        s.table.ask(Ask.DRAG, s.table.player)


@after
def _teleport(s: Strike) -> None:
    if s.stands() and s.me.benched:
        s.table.ask(Ask.TELEPORT, s.table.player)
