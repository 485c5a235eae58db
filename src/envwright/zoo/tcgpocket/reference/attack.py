"""From the choice of an attack to the end of what it does."""

from __future__ import annotations

from dataclasses import dataclass, field

from envwright.zoo.tcgpocket.cards import Attack
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.reference.damage import (
    attack_damage,
    counter_damage,
    hurt,
    knocked_out,
)
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Table

COPIES = ("copy_any", "flip_copy_active")


@dataclass(slots=True)
class Strike:
    """An attack that is being made."""

    table: Table
    attack: Attack
    attacker: Pokemon
    defender: Pokemon
    damage: int  # to the Defending Pokemon, before anything changes it
    target: int | None = None  # slot that was chosen (0-3 own, 4-7 the other side's)
    hits: dict[int, int] = field(default_factory=dict)  # other side's slots besides `damage`
    own_hits: dict[int, int] = field(default_factory=dict)
    nothing: bool = False  # the attack turned out to do nothing
    dealt: int = 0  # to the Defending Pokemon, in the end

    @property
    def me(self) -> Player:
        """Whose attack it is."""
        return self.table.me

    @property
    def foe(self) -> Player:
        """Who is attacked."""
        return self.table.foe

    def heads(self) -> bool:
        """One coin."""
        return self.table.chance.heads(Purpose.COIN)

    def coins(self, count: int) -> int:
        """How many of some coins are heads."""
        return sum(self.heads() for _ in range(count))

    def affects(self) -> bool:
        """[A10] Whether effects reach the Defending Pokemon: HP left, and not immune."""
        immune = self.defender.marks[Mark.IMMUNE] == self.table.turn
        return not immune and not knocked_out(self.table, self.foe, self.defender)

    def stands(self) -> bool:
        """Whether the attacker has HP left."""
        return not knocked_out(self.table, self.me, self.attacker)


def can_pay(energy: list[int], cost: tuple[int, ...]) -> bool:
    """[A2] Whether energies cover a cost: each type by itself, Colorless by any."""
    return sum(energy) >= sum(cost) and all(map(int.__ge__, energy, cost))


def declare(table: Table, index: int) -> None:
    """[A3] The Active Pokemon attacks; if it is confused a coin decides whether it can."""
    active = table.me.slots[0]
    assert active
    table.stage = Stage.ATTACK
    table.attack_card, table.attack_index = active.card, index
    if table.me.mind == Mind.CONFUSED and not table.chance.heads(Purpose.CONFUSION):
        return
    use(table)


def current(table: Table) -> Attack:
    """The attack that is being made."""
    assert table.attack_card
    return table.attack_card.attacks[table.attack_index]


def use(table: Table) -> None:
    """Asks for what must be chosen before damage, or does the attack."""
    family = current(table).effect.family
    if family in COPIES:
        _copy(table, family)
    elif targets(table):
        table.ask(Ask.HIT, table.player)
    else:
        perform(table)


def targets(table: Table) -> list[int]:
    """Slots that this attack may choose to hit (0-3 own, 4-7 the other side's)."""
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
    """The other side's slots with attacks."""
    return [slot for slot in table.foe.taken if table.foe.slots[slot].card.attacks]


def _copy(table: Table, family: str) -> None:
    table.fired.append(family)
    if family == "copy_any":
        if copyable(table):
            table.ask(Ask.COPY_POKEMON, table.player)
    elif table.chance.heads(Purpose.COIN) and 0 in copyable(table):
        table.ask(Ask.COPY_ATTACK, table.player, mask=0)


def copy(table: Table, slot: int, index: int) -> None:
    """[A11] Uses an attack of the other side as this attack."""
    source, attacker = table.foe.slots[slot], table.me.slots[0]
    assert source and attacker
    copied = source.card.attacks[index]
    must_pay = current(table).effect.family == "copy_any"
    if copied.effect.family in COPIES or (must_pay and not can_pay(attacker.energy, copied.cost)):
        return
    table.attack_card, table.attack_index = source.card, index
    use(table)


def perform(table: Table, target: int | None = None) -> None:
    """[A4] Coins and sums, then damage, then what follows it."""
    from envwright.zoo.tcgpocket.reference.attack_effects import AFTER, BEFORE

    attack, attacker, defender = current(table), table.me.slots[0], table.foe.slots[0]
    assert attacker and defender
    strike = Strike(table, attack, attacker, defender, attack.damage, target)
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
    """[A8, A9] The other side's damage by slot, then the own side's, then what comes back."""
    table = strike.table
    strike.hits[0] = strike.hits.get(0, 0) + strike.damage
    for slot in sorted(strike.hits):
        pokemon = strike.foe.slots[slot]
        assert pokemon
        amount = attack_damage(table, family, slot, strike.hits[slot])
        hurt(table, strike.foe, pokemon, amount)
        if slot == 0:
            strike.dealt = amount
    for slot, amount in strike.own_hits.items():
        pokemon = strike.me.slots[slot]
        assert pokemon
        hurt(table, strike.me, pokemon, amount)
    if strike.dealt:
        hurt(table, strike.me, strike.attacker, counter_damage(table, strike.defender))
