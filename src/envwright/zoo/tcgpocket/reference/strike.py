"""The state of an attack that its effects read and change."""

from __future__ import annotations

from dataclasses import dataclass, field

from envwright.zoo.tcgpocket.cards import Attack
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark
from envwright.zoo.tcgpocket.reference.damage import knocked_out
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Table


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
        """The attacking player."""
        return self.table.me

    @property
    def foe(self) -> Player:
        """The attacked player."""
        return self.table.foe

    def heads(self) -> bool:
        """Flip a coin."""
        return self.table.chance.heads(Purpose.COIN)

    def coins(self, count: int) -> int:
        """Flip some coins; return the number of heads."""
        return sum(self.heads() for _ in range(count))

    def affects(self) -> bool:
        """[A10] Return whether effects reach the Defending Pokemon: HP left, and not immune."""
        immune = self.defender.marks[Mark.IMMUNE] == self.table.turn
        return not immune and not knocked_out(self.table, self.foe, self.defender)

    def stands(self) -> bool:
        """Return whether the attacker has HP left."""
        return not knocked_out(self.table, self.me, self.attacker)


def current(table: Table) -> Attack:
    """The attack that is being made."""
    assert table.attack_card
    return table.attack_card.attacks[table.attack_index]
