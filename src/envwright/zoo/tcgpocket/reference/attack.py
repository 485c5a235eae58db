"""Run an attack, from its choice to the end of its effects."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mind
from envwright.zoo.tcgpocket.reference.attack_damage import BEFORE
from envwright.zoo.tcgpocket.reference.attack_effects import AFTER
from envwright.zoo.tcgpocket.reference.damage import attack_damage, counter_damage, hurt
from envwright.zoo.tcgpocket.reference.state import Table
from envwright.zoo.tcgpocket.reference.strike import Strike, current

COPIES = ("copy_any", "flip_copy_active")


def can_pay(energy: list[int], cost: tuple[int, ...]) -> bool:
    """[A2] Return whether energies cover a cost: each type by itself, Colorless by any."""
    return sum(energy) >= sum(cost) and all(map(int.__ge__, energy, cost))


def declare(table: Table, index: int) -> None:
    """[A3] Let the Active Pokemon attack; if it is confused, a coin decides whether it can."""
    table.stage = Stage.ATTACK
    table.attack_card, table.attack_index = table.me.at(0).card, index
    if table.me.mind == Mind.CONFUSED and not table.chance.heads(Purpose.CONFUSION):
        return
    use(table)


def use(table: Table) -> None:
    """Ask for what must be chosen before damage, or do the attack."""
    family = current(table).effect.family
    if family in COPIES:
        _copy(table, family)
    elif targets(table):
        table.ask(Ask.HIT, table.player)
    else:
        perform(table)


def targets(table: Table) -> list[int]:
    """Return slots that this attack may choose to hit (0-3 own, 4-7 the other side's)."""
    family = current(table).effect.family
    if family in ("hit_foe", "discard_hit"):
        return [4 + slot for slot in table.foe.taken]
    if family == "hit_foe_bench":
        return [4 + slot for slot in table.foe.benched]
    if family == "hit_own":
        return table.me.taken
    if family == "hit_own_bench":
        return table.me.benched
    return []


def copyable(table: Table) -> list[int]:
    """Return the other side's slots with attacks."""
    return [slot for slot in table.foe.taken if table.foe.at(slot).card.attacks]


def _copy(table: Table, family: str) -> None:
    table.fired.append(family)
    if family == "copy_any":
        if copyable(table):
            table.ask(Ask.COPY_POKEMON, table.player)
    elif table.chance.heads(Purpose.COIN) and 0 in copyable(table):
        table.ask(Ask.COPY_ATTACK, table.player, mask=0)


def copy(table: Table, slot: int, index: int) -> None:
    """[A11] Use an attack of the other side as this attack."""
    source, attacker = table.foe.at(slot), table.me.at(0)
    copied = source.card.attacks[index]
    must_pay = current(table).effect.family == "copy_any"
    if copied.effect.family in COPIES or (must_pay and not can_pay(attacker.energy, copied.cost)):
        return
    table.attack_card, table.attack_index = source.card, index
    use(table)


def perform(table: Table, target: int | None = None) -> None:
    """[A4] Flip coins and sum up, then deal damage, then run what follows it."""
    attack = current(table)
    strike = Strike(table, attack, table.me.at(0), table.foe.at(0), attack.damage, target)
    family, arguments = attack.effect.family, attack.effect.arguments
    if family:
        table.fired.append(family)
    if family in BEFORE:
        BEFORE[family](strike, *arguments)
    if strike.nothing:
        return
    _deal(strike, family)
    if family in AFTER:
        AFTER[family](strike, *arguments)


def _deal(strike: Strike, family: str) -> None:
    """[A8, A9] Deal the other side's damage by slot, then the own side's, then counter-damage."""
    table = strike.table
    strike.hits[0] = strike.hits.get(0, 0) + strike.damage
    for slot in sorted(strike.hits):
        amount = attack_damage(table, family, slot, strike.hits[slot])
        hurt(table, strike.foe, strike.foe.at(slot), amount)
        if slot == 0:
            strike.dealt = amount
    for slot, amount in strike.own_hits.items():
        hurt(table, strike.me, strike.me.at(slot), amount)
    if strike.dealt:
        hurt(table, strike.me, strike.attacker, counter_damage(table, strike.defender))
