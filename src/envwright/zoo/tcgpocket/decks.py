"""Decks: twenty cards and one to three types of energy, and lists of our own making.

deck = decks.named("sparks")
deck = decks.make("mine", {"A1 096": 2, …}, "L")
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import ENERGIES, LETTERS, Card, Kind, by_number, by_print, load
from envwright.zoo.tcgpocket.contract.state import CARDS

COPIES = 2


@dataclass(frozen=True)
class Deck:
    """A valid deck: card numbers ascend, types ascend."""

    name: str
    cards: tuple[int, ...]
    types: tuple[int, ...]

    def __post_init__(self) -> None:
        """Reject decks that the rules forbid [G1-G4]."""
        if len(self.cards) != CARDS:
            raise EnvwrightError(f"deck '{self.name}' has {len(self.cards)} cards; give it {CARDS}")
        if list(self.cards) != sorted(self.cards) or list(self.types) != sorted(self.types):
            raise EnvwrightError(f"deck '{self.name}' is not sorted; build it with decks.make")
        known = [by_number(number) for number in self.cards]
        names = Counter(card.name for card in known)
        for name, count in names.items():
            if count > COPIES:
                raise EnvwrightError(
                    f"deck '{self.name}' has {count} cards named {name}; keep at most {COPIES}"
                )
        if not any(card.basic for card in known):
            raise EnvwrightError(f"deck '{self.name}' has no Basic Pokemon; add one")
        if not 1 <= len(set(self.types)) <= 3 or len(set(self.types)) != len(self.types):
            raise EnvwrightError(
                f"deck '{self.name}' declares {len(self.types)} types of energy; "
                "declare one to three different ones"
            )
        if not all(0 <= kind < ENERGIES for kind in self.types):
            raise EnvwrightError(
                f"deck '{self.name}' declares energy that does not exist; use {LETTERS[:ENERGIES]}"
            )


def make(name: str, cards: Mapping[str, int], types: str) -> Deck:
    """Make a deck from prints with their counts and letters of types."""
    _check_kinds(name, cards, types)
    unknown = set(types) - set(LETTERS)
    if unknown:
        raise EnvwrightError(
            f"deck '{name}' declares energy {''.join(sorted(unknown))!r}; use {LETTERS[:ENERGIES]}"
        )
    numbers = sorted(by_print(label).number for label, n in cards.items() for _ in range(n))
    return Deck(name, tuple(numbers), tuple(sorted(LETTERS.index(letter) for letter in types)))


def _check_kinds(name: Any, cards: Any, types: Any) -> None:
    """Reject anything but names of prints, counts and letters; lists may come from others."""
    if not isinstance(name, str):
        raise EnvwrightError(f"the name of a deck is a text, not {name!r}")
    if not isinstance(types, str):
        raise EnvwrightError(f"deck '{name}' declares energy {types!r}; write letters, such as 'L'")
    if not isinstance(cards, Mapping):
        raise EnvwrightError(
            f"deck '{name}' lists its cards as {type(cards).__name__}; "
            "write prints with their counts, such as {'A1 096': 2}"
        )
    for label, count in cards.items():
        if not isinstance(label, str):
            raise EnvwrightError(
                f"deck '{name}' has a card {label!r}; name prints as texts, such as 'A1 096'"
            )
        if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= COPIES:
            raise EnvwrightError(
                f"deck '{name}' has {count!r} of {label}; keep 1 or {COPIES} of a card"
            )


@cache
def _named_cards() -> dict[str, list[Card]]:
    found: dict[str, list[Card]] = {}
    for card in load().values():
        found.setdefault(card.name, []).append(card)
    return found


def line(card: Card, rng: random.Random) -> list[Card]:
    """Return a card with what it evolves from, as far as the pool has it."""
    cards = [card]
    while (below := _named_cards().get(cards[-1].evolves_from)) is not None:
        cards.append(rng.choice(below))
    return cards


def around(number: int, rng: random.Random, partners: tuple[str, ...] = ()) -> Deck:
    """Make a random deck with two of a card, its line, partners by name, and fitting energy."""
    wanted = line(by_number(number), rng)
    for partner in partners:
        wanted += line(rng.choice(_named_cards()[partner]), rng)
    pool = list(load().values())
    counts: Counter[str] = Counter()
    deck: list[Card] = []
    while len(deck) < CARDS:
        group = [wanted.pop(0)] if wanted else line(rng.choice(pool), rng)
        for card in group:
            for _ in range(min(COPIES - counts[card.name], CARDS - len(deck))):
                deck.append(card)
                counts[card.name] += 1
        if len(deck) == CARDS and not any(card.basic for card in deck):
            deck, counts = deck[:-COPIES], Counter(card.name for card in deck[:-COPIES])
            wanted = [rng.choice([card for card in pool if card.basic])]
    return Deck("around", tuple(sorted(card.number for card in deck)), _types(deck, rng))


def _types(deck: list[Card], rng: random.Random) -> tuple[int, ...]:
    """Return energy that the attacks of a deck's first cards need; any if they need none."""
    needed = []
    for card in deck:
        for attack in card.attacks if card.kind == Kind.POKEMON else ():
            needed += [kind for kind in range(ENERGIES) if attack.cost[kind]]
    kinds = list(dict.fromkeys(needed))[: rng.randint(1, 3)]
    return tuple(sorted(kinds or [rng.randrange(ENERGIES)]))
