"""Cards as facts: numbers, types, costs, and effects by our own ids. No texts.

    card = cards.by_print("A1 096")
    card.name, card.hp, card.attacks[0].cost

`extract.py` makes `facts.json`. A card's number is its id in the data file and never changes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError

FACTS = Path(__file__).with_name("facts.json")
SETS = Path(__file__).with_name("sets.json")


class Type(IntEnum):
    """Types of Pokemon and of energy. Only the first eight exist as energy."""

    GRASS = 0
    FIRE = 1
    WATER = 2
    LIGHTNING = 3
    PSYCHIC = 4
    FIGHTING = 5
    DARKNESS = 6
    METAL = 7
    COLORLESS = 8
    DRAGON = 9


ENERGIES = 8
LETTERS = "GRWLPFDMCN"  # one letter a type, in the order of `Type`


class Kind(IntEnum):
    """The kinds of cards."""

    POKEMON = 0
    ITEM = 1
    SUPPORTER = 2
    TOOL = 3
    STADIUM = 4
    FOSSIL = 5  # an Item in hand, deck and discard; a Basic Pokemon in play


@dataclass(frozen=True)
class Effect:
    """An effect id, `family:argument:argument`, taken apart; types as numbers."""

    family: str
    arguments: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Effect:
        """Parse the effect that an id names: letters are types, the rest are numbers."""
        family, *rest = text.split(":")
        return cls(family, tuple(LETTERS.index(a) if a in LETTERS else int(a) for a in rest))


NOTHING = Effect("", ())


@dataclass(frozen=True)
class Attack:
    """One attack: its cost and its effects."""

    cost: tuple[int, ...]  # counts of each of the eight energies, then of Colorless
    damage: int
    effect: Effect


@dataclass(frozen=True, eq=False)
class Card:
    """The facts of one card. A fossil has those of the Pokemon it is in play."""

    number: int
    name: str
    prints: tuple[str, ...]
    kind: Kind
    type: int = Type.COLORLESS
    stage: int = 0
    hp: int = 0
    retreat: int = 0
    weakness: int = -1  # a type, or -1
    evolves_from: str = ""
    points: int = 1  # points for the other side when it is knocked out
    attacks: tuple[Attack, ...] = ()
    effect: Effect = NOTHING  # an ability, or what a trainer card does

    @property
    def basic(self) -> bool:
        """Whether it can be placed when a game is set up."""
        return self.kind == Kind.POKEMON and self.stage == 0


def _cost(letters: str) -> tuple[int, ...]:
    return tuple(letters.count(letter) for letter in LETTERS[: ENERGIES + 1])


def _card(row: dict) -> Card:
    common: dict[str, Any] = {key: row[key] for key in ("number", "name")}
    common["prints"] = tuple(row["prints"])
    if row["kind"] != "pokemon":
        effect = Effect.parse(row["effect"])
        if effect.family == "fossil":
            return Card(**common, kind=Kind.FOSSIL, hp=effect.arguments[0], effect=effect)
        return Card(**common, kind=Kind[row["kind"].upper()], effect=effect)
    return Card(
        **common,
        kind=Kind.POKEMON,
        type=LETTERS.index(row["type"]),
        stage=row["stage"],
        hp=row["hp"],
        retreat=row["retreat"],
        weakness=LETTERS.index(row["weakness"]) if "weakness" in row else -1,
        evolves_from=row.get("from", ""),
        points=1 + row.get("ex", 0),
        attacks=tuple(Attack(_cost(c), d, Effect.parse(e)) for c, d, e in row["attacks"]),
        effect=Effect.parse(row.get("ability", "")),
    )


@cache
def load() -> dict[int, Card]:
    """Load every card by number."""
    return {row["number"]: _card(row) for row in json.loads(FACTS.read_text())}


@cache
def _prints() -> dict[str, Card]:
    return {name: card for card in load().values() for name in card.prints}


@cache
def sets() -> dict[str, int]:
    """Return how many different cards each set has, including unknown ones."""
    return json.loads(SETS.read_text())


def by_number(number: int) -> Card:
    """Return the card with a number."""
    try:
        return load()[number]
    except KeyError:
        raise EnvwrightError(
            f"there is no card {number}; see zoo/tcgpocket/cards/facts.json for those there are"
        ) from None


def by_print(name: str) -> Card:
    """Return the card that was printed under a set and number, such as `A1 096`."""
    try:
        return _prints()[name]
    except KeyError:
        raise EnvwrightError(
            f"there is no card '{name}', or it has an effect that is not known yet; "
            "write set and number as in 'A1 096'"
        ) from None
