"""Damage, and the effects that it triggers."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.state import MARK_AMOUNTS, Mark
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Table
from envwright.zoo.tcgpocket.reference.zones import heal

WEAKNESS = 20
BLAZING = ("Ninetales", "Rapidash", "Magmar")


def hurt(table: Table, player: Player, pokemon: Pokemon, amount: int) -> None:
    """[A8] Deal damage that nothing changes; never more than the HP."""
    pokemon.damage = min(table.hp(player, pokemon), pokemon.damage + amount)


def knocked_out(table: Table, player: Player, pokemon: Pokemon) -> bool:
    """Return whether no HP are left."""
    return pokemon.damage >= table.hp(player, pokemon)


def attack_damage(table: Table, family: str, slot: int, base: int) -> int:
    """[A5-A7] Return the damage of the Active Pokemon's attack to one of the other side."""
    attacker, target = table.me.at(0), table.foe.at(slot)
    if base <= 0 or table.turn in (target.marks[Mark.SHIELD], target.marks[Mark.IMMUNE]):
        return 0
    amount, weakness = base, 0
    if slot == 0:
        amount = max(0, amount + _bonus(table, attacker, family))
        if attacker.card.type == target.card.weakness:
            weakness = WEAKNESS
    if table.settings.weakness_first:
        return max(0, amount + weakness - _reduction(table, attacker, target))
    return max(0, amount - _reduction(table, attacker, target)) + weakness


def _bonus(table: Table, attacker: Pokemon, family: str) -> int:
    """Return what the attacker's side adds to damage to the Active Pokemon, or takes off it."""
    bonus = table.press
    if attacker.card.name in BLAZING:
        bonus += table.blaze
    if family == "boost_next" and attacker.marks[Mark.BOOST] == table.turn:
        bonus += MARK_AMOUNTS[Mark.BOOST]
    if family == "frenzy":
        bonus += 30 * attacker.frenzy
    if attacker.marks[Mark.GROWL] == table.turn:
        bonus -= MARK_AMOUNTS[Mark.GROWL]
    return bonus


def _reduction(table: Table, attacker: Pokemon, target: Pokemon) -> int:
    """Return the total reduction of the target."""
    less = MARK_AMOUNTS[Mark.GUARD] if target.marks[Mark.GUARD] == table.turn else 0
    ability = target.card.effect
    armor = 0
    if ability.family == "armor":
        armor = ability.arguments[0]
    elif ability.family == "armor_type" and attacker.card.type == ability.arguments[0]:
        armor = ability.arguments[1]
    elif ability.family == "arceus_armor" and any(
        p and p.card.name in ("Arceus", "Arceus ex") for p in table.foe.slots
    ):
        armor = ability.arguments[0]
    if armor:
        table.fired.append(ability.family)
    return less + armor


def counter_damage(table: Table, target: Pokemon) -> int:
    """[A9] Deal the counter-damage of an Active Pokemon that was damaged by an attack."""
    back = 0
    if target.card.effect.family == "counter":
        back += target.card.effect.arguments[0]
        table.fired.append("counter")
    if target.tool is not None:
        tool = table.foe.cards[target.tool].effect
        if tool.family == "helmet":
            back += tool.arguments[0]
            table.fired.append("helmet")
    if target.marks[Mark.SPIKES] == table.turn:
        back += MARK_AMOUNTS[Mark.SPIKES]
    return back


def attach_from_zone(table: Table, player: Player, pokemon: Pokemon, kind: int) -> None:
    """[E6] Attach energy from the Energy Zone, and run abilities that wait for it."""
    pokemon.energy[kind] += 1
    ability = pokemon.card.effect
    if ability.family in ("aura", "plumage") and ability.arguments[0] == kind:
        table.fired.append(ability.family)
        if ability.family == "plumage":
            heal(pokemon, ability.arguments[1])
            return
        other = table.players[player is table.players[0]]
        if other.active:
            hurt(table, other, other.active, ability.arguments[1])
