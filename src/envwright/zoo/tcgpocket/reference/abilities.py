"""Abilities that a player uses, and those that act at the end of a turn."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mind
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.damage import attach_from_zone
from envwright.zoo.tcgpocket.reference.state import Pokemon, Table


def usable(table: Table, slot: int) -> bool:
    """[B2] Return whether the ability of a Pokemon can be used now: it would do something."""
    pokemon = table.me.at(slot)
    if pokemon.ability_used:
        return False
    me, foe = table.me, table.foe
    match pokemon.card.effect.family:
        case "shuriken" | "pendulum" | "charge":
            return True
        case "gas_leak":
            return slot == 0 and not foe.poisoned
        case "heal_all":
            return any(p and p.damage for p in me.slots)
        case "scan":
            return bool(me.deck)
        case "drive_off":
            return bool(foe.benched)
        case "lure_basic":
            return slot == 0 and bool(benched_basics(table))
        case "charge_active":
            active = me.slots[0]
            return active is not None and active.card.type == pokemon.card.effect.arguments[0]
    return False


def benched_basics(table: Table) -> list[int]:
    """Return the other side's Basic Pokemon on the Bench; a fossil is one."""
    return [slot for slot in table.foe.benched if table.foe.at(slot).card.stage == 0]


def use(table: Table, slot: int) -> None:
    """Use the ability of a Pokemon."""
    pokemon = table.me.at(slot)
    pokemon.ability_used = True
    family, arguments = pokemon.card.effect.family, pokemon.card.effect.arguments
    table.fired.append(family)
    match family:
        case "shuriken":
            table.ask(Ask.SHURIKEN, table.player, count=slot)
        case "pendulum":
            if table.chance.heads(Purpose.COIN):
                table.foe.mind = Mind.ASLEEP
        case "charge":
            attach_from_zone(table, table.me, pokemon, arguments[0])
        case "charge_active":
            attach_from_zone(table, table.me, table.me.at(0), arguments[0])
        case "gas_leak":
            table.foe.poisoned = True
        case "heal_all":
            for other in filter(None, table.me.slots):
                zones.heal(other, arguments[0])
        case "scan":
            look(table, arguments[0])
        case "drive_off":
            table.ask(Ask.SWITCH_OUT, 1 - table.player)
        case "lure_basic":
            table.ask(Ask.DRAG, table.player)


def look(table: Table, count: int) -> None:
    """[I3] Let a player look at the top of the own deck."""
    me = table.me
    me.seen_top = max(me.seen_top, min(count, len(me.deck)))


def after_evolving(table: Table, slot: int, pokemon: Pokemon) -> None:
    """[B3] Run what a Pokemon does when it is played from the hand to evolve another."""
    if pokemon.card.effect.family == "ripples" and healable(table, slot):
        table.fired.append("ripples")
        table.ask(Ask.RIPPLES, table.player, count=slot)


def healable(table: Table, source: int) -> list[int]:
    """Return slots that the ability in a slot can heal."""
    kind = table.me.at(source).card.effect.arguments[0]
    return [
        slot
        for slot in table.me.taken
        if table.me.at(slot).damage and table.me.at(slot).card.type == kind
    ]


def bars_supporters(pokemon: Pokemon | None) -> bool:
    """[B4] Return whether the other side cannot play Supporters while this one is Active."""
    return pokemon is not None and pokemon.card.effect.family == "bar_supporters"


def end_of_turn(table: Table) -> None:
    """[U1] Run abilities that act when their owner's turn ends, by slot."""
    for slot, pokemon in enumerate(table.me.slots):
        if pokemon is None:
            continue
        family, arguments = pokemon.card.effect.family, pokemon.card.effect.arguments
        if family == "first_turn_charge" and table.first_turn:
            table.fired.append(family)
            attach_from_zone(table, table.me, pokemon, arguments[0])
        elif family == "pulse_draw" and slot == 0:
            table.fired.append(family)
            zones.draw(table.me)
