"""Read observations as arrays with the facts of the cards in them; numpy or jax.numpy.

    seen = ObservationReader(np, observations)  # int16[..., 382]
    seen.left  # float32[..., 2, 4]: HP left, own side first
    seen.hand  # facts of the own cards, and which are in hand

Opponents and features use it, so they know only what is in an observation.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.tcgpocket.cards import ENERGIES, Attack, Card, load
from envwright.zoo.tcgpocket.contract.observation import OBSERVATION
from envwright.zoo.tcgpocket.contract.state import Zone

OWN, OTHER = 0, 1
ATTACKS = 2  # of a card, at most
WEAKNESS = 20.0


class Role(IntEnum):
    """The use of a card in hand, for players without learning."""

    OTHER = 0
    SEARCH = 1  # finds or draws cards
    BOOST = 2  # attacks do more in this turn
    HEAL = 3
    PREPARE = 4  # energy, Tools, fossils
    REDRAW = 5  # a new hand for the other side


_FAMILIES = {
    Role.SEARCH: ("fetch_basic", "draw"),
    Role.BOOST: ("press", "blaze"),
    Role.HEAL: ("potion", "heal_type"),
    Role.PREPARE: ("flip_charge", "rock_charge", "gather", "cape", "helmet", "fossil"),
    Role.REDRAW: ("redraw",),
}
_ROLES = {family: role for role, families in _FAMILIES.items() for family in families}

FACTS = np.dtype(
    [
        ("kind", "f4"),
        ("type", "f4"),
        ("stage", "f4"),
        ("hp", "f4"),
        ("retreat", "f4"),
        ("weakness", "f4"),  # a type, or -1
        ("points", "f4"),
        ("basic", "f4"),
        ("ability", "f4"),  # 1: a Pokemon with one
        ("role", "f4"),  # Role
        ("name", "f4"),  # a number for each name, from 1
        ("below", "f4"),  # that of the name it evolves from, 0 for none
        ("known", "f4", ATTACKS),  # 1: there is such an attack
        ("cost", "f4", (ATTACKS, ENERGIES + 1)),
        ("damage", "f4", ATTACKS),  # as printed
        ("expected", "f4", ATTACKS),  # see `expected_damage`
        ("effect", "f4", ATTACKS),  # 1: it does more than damage
    ]
)


def expected_damage(attack: Attack) -> float:
    """Return the damage of an attack with average coins; nothing else is counted."""
    effect = attack.effect
    match effect.family, effect.arguments:
        case "flips_each", (count, damage):
            return count * damage / 2
        case "flips_all_more", (count, more):
            return attack.damage + more / 2**count
        case (("flip_more" | "flip_more_or_recoil"), (more, *_)):
            return attack.damage + more / 2
        case "until_tails_each", (damage,):
            return damage
        case "until_tails_more", (more,):
            return attack.damage + more
        case "flip_or_nothing", _:
            return attack.damage / 2
        case (("hit_foe" | "hit_foe_bench"), (damage,)):
            return attack.damage + damage / 2
        case "discard_hit", (_, _, damage):
            return damage
        case "random_hits", (times, damage):
            return times * damage / 2
    return attack.damage


@cache
def _names() -> dict[str, int]:
    names = sorted({card.name for card in load().values()})
    return {name: number for number, name in enumerate(names, 1)}


def _facts(card: Card) -> np.ndarray:
    row = np.zeros((), FACTS)
    for name in ("kind", "type", "stage", "hp", "retreat", "weakness", "points", "basic"):
        row[name] = getattr(card, name)
    row["ability"] = bool(card.hp and card.effect.family)
    row["name"], row["below"] = _names()[card.name], _names().get(card.evolves_from, 0)
    row["role"] = _ROLES.get(card.effect.family, Role.OTHER)
    for index, attack in enumerate(card.attacks):
        row["known"][index] = 1
        row["cost"][index] = attack.cost
        row["damage"][index] = attack.damage
        row["expected"][index] = expected_damage(attack)
        row["effect"][index] = bool(attack.effect.family)
    return row


@cache
def facts() -> np.ndarray:
    """Return float32[1 + highest card number, columns of FACTS]; row 0 stands for no card."""
    table = np.zeros(max(load()) + 1, FACTS)
    for number, card in load().items():
        table[number] = _facts(card)
    return table.view("f4").reshape(len(table), -1)


def part(block: Array, layout: np.dtype, name: str) -> Array:
    """Return a field of records that are flat in the last axis; nested records stay flat."""
    fields: Any = layout.fields
    field, offset = fields[name][:2]
    word = layout.itemsize // block.shape[-1]
    first = offset // word
    inner = (field.base.itemsize // word,) if field.base.fields else ()
    flat = block[..., first : first + field.itemsize // word]
    return flat.reshape((*block.shape[:-1], *field.shape, *inner))


_SIDE = OBSERVATION["sides"].base
_SLOT = _SIDE["slots"].base


class Known:
    """Facts of cards by number, of any shape; zero where there is no card."""

    def __init__(self, xp: ModuleType, numbers: Array):
        self.rows = xp.asarray(facts())[numbers]

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or name not in (FACTS.names or ()):
            raise AttributeError(name)
        return part(self.rows, FACTS, name)


class ObservationReader:
    """The content of observations, computed on demand."""

    def __init__(self, xp: ModuleType, observations: Array):
        self.xp, self.observations = xp, observations

    def __call__(self, name: str) -> Array:
        """Return a field of the observations, int16[..., shape]."""
        return part(self.observations, OBSERVATION, name)

    def side(self, name: str) -> Array:
        """Return a field of both sides, int16[..., 2, shape]."""
        return part(self("sides"), _SIDE, name)

    def slot(self, name: str) -> Array:
        """Return a field of all slots, int16[..., 2, 4, shape]."""
        return part(self.side("slots"), _SLOT, name)

    @cached_property
    def pokemon(self) -> Known:
        """The facts of the cards in the slots, [..., 2, 4]."""
        return Known(self.xp, self.slot("card"))

    @cached_property
    def there(self) -> Array:
        """bool[..., 2, 4]: whether a slot is taken."""
        return self.slot("card") > 0

    @cached_property
    def hand(self) -> Known:
        """The facts of the own cards, wherever they are, [..., 20]."""
        return Known(self.xp, self("cards"))

    @cached_property
    def in_hand(self) -> Array:
        """bool[..., 20]: which of them are in hand."""
        return self("zone") == Zone.HAND

    @cached_property
    def left(self) -> Array:
        """float32[..., 2, 4]: HP left as printed, 0 where a slot is empty."""
        return self.pokemon.hp - 10.0 * self.slot("damage").astype(np.float32)

    @cached_property
    def energy(self) -> Array:
        """float32[..., 2, 4, 8]: energy by type."""
        return self.slot("energy").astype(np.float32)

    @cached_property
    def missing(self) -> Array:
        """float32[..., 2, 4, 2]: how many energies each attack lacks."""
        return self.lacks(self.energy)

    def lacks(self, energy: Array) -> Array:
        """Return the missing energy for other energies, [..., 2, 4, 8]."""
        xp, cost = self.xp, self.pokemon.cost
        held = energy[..., None, :]
        typed = xp.maximum(cost[..., :ENERGIES] - held, 0).sum(-1)
        return xp.maximum(typed, cost.sum(-1) - held.sum(-1))

    def wants(self, kind: Array) -> Array:
        """Return what an energy of a type, [...], does for each own slot, float32[..., 4].

        2: an attack can be used; 1: it is closer; 0 (also where the type is -1): nothing.
        """
        xp = self.xp
        one = (xp.arange(ENERGIES) == kind[..., None]).astype(np.float32)
        after = self.lacks(self.energy + one[..., None, None, :])
        closer = (self.pokemon.known > 0) & (after < self.missing)
        return xp.where(closer, xp.where(after == 0, 2.0, 1.0), 0.0).max(-1)[..., OWN, :]

    @cached_property
    def payable(self) -> Array:
        """bool[..., 2, 4, 2]: attacks that are there and whose cost is covered."""
        return (self.pokemon.known > 0) & (self.missing == 0)

    @cached_property
    def hits(self) -> Array:
        """float32[..., 2, 4, 2]: what each attack would take from the other Active Pokemon.

        Expected, from any slot; with Weakness and, for the own side, this turn's extra damage.
        """
        xp = self.xp
        foe = self.pokemon.weakness[..., ::-1, :1]
        weak = (self.pokemon.type == foe) & self.there & self.there[..., ::-1, :1]
        expected = self.pokemon.expected
        own = xp.asarray(np.array([1.0, 0.0], np.float32))[:, None]
        press = 10.0 * self("press").astype(np.float32)[..., None, None] * own
        extra = WEAKNESS * weak + press
        return expected + (expected > 0) * extra[..., None]
