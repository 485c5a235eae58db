"""Decks: twenty cards and one to three types of energy, and lists of our own making.

deck = decks.named("sparks")
deck = decks.make("mine", {"A1 096": 2, …}, "L")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import ENERGIES, LETTERS, by_number, by_print
from envwright.zoo.tcgpocket.contract.state import CARDS

COPIES = 2


@dataclass(frozen=True)
class Deck:
    """A deck that can be played: card numbers ascend, types ascend."""

    name: str
    cards: tuple[int, ...]
    types: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuses what the rules refuse [G1-G4]."""
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
    """A deck from prints with their counts and letters of types."""
    unknown = set(types) - set(LETTERS)
    if unknown:
        raise EnvwrightError(
            f"deck '{name}' declares energy {''.join(sorted(unknown))!r}; use {LETTERS[:ENERGIES]}"
        )
    numbers = sorted(by_print(label).number for label, n in cards.items() for _ in range(n))
    return Deck(name, tuple(numbers), tuple(sorted(LETTERS.index(letter) for letter in types)))
