"""Whole games in which every card of the pool has its turn.

Each deck is made around a card, the cards taking turns. Every other deck is coherent: lines that
share energy, and cards that help them, so that games go deep; the others are random.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

from envwright.zoo.tcgpocket import decks
from envwright.zoo.tcgpocket.cards import ENERGIES, Card, Kind, by_number, load
from envwright.zoo.tcgpocket.checks.players import PLAYERS
from envwright.zoo.tcgpocket.checks.sequences import OTHERWISE
from envwright.zoo.tcgpocket.checks.traces import DEFAULT, Rules, Start, Trace, record
from envwright.zoo.tcgpocket.contract.state import CARDS
from envwright.zoo.tcgpocket.decks import COPIES, Deck

LEAST = 25  # games of a piece
POKEMON = 13  # approximate number of Pokemon in a coherent deck
WHO = ("fighter", "builder", "greedy", "random", "fighter", "mover", "builder", "greedy")


def traces(seed: int, numbers: range, rules: Rules = DEFAULT) -> Iterator[Trace]:
    """Record the games with these numbers; game 0 to 611 have all cards once."""
    for number in numbers:
        yield play(seed, number, rules)


def parts(episodes: int, most: int) -> list[tuple[range, Rules]]:
    """Split games into pieces of one setting each: two of three have the default."""
    size = max(LEAST, min(most, episodes // 15))
    others = [rules for rules in OTHERWISE.values() if rules != DEFAULT]
    return [
        (
            range(first, min(first + size, episodes)),
            others[piece // 3 % len(others)] if piece % 3 == 2 else DEFAULT,
        )
        for piece, first in enumerate(range(0, episodes, size))
    ]


def play(seed: int, number: int, rules: Rules = DEFAULT) -> Trace:
    """Play one game on the reference."""
    rng = random.Random(f"game {seed} {number}")
    forced = [_turn(2 * number), _turn(2 * number + 1)]
    two = [united(card, rng) if rng.random() < 0.6 else around(card, rng) for card in forced]
    start = Start(
        rules,
        decks=tuple((deck.cards, deck.types) for deck in two),
        seed=rng.getrandbits(64),
    )
    who = WHO[number % len(WHO)]
    return record(start, f"game {number} ({who})", PLAYERS[who], number)


@cache
def _order() -> tuple[int, ...]:
    """Return all cards, in an order that mixes sets and kinds."""
    numbers = sorted(load())
    random.Random(0).shuffle(numbers)
    return tuple(numbers)


def _turn(place: int) -> int:
    return _order()[place % len(_order())]


def around(number: int, rng: random.Random) -> Deck:
    """Make a deck with a card, and with the cards that it names."""
    effects = [by_number(number).effect, *(a.effect for a in by_number(number).attacks)]
    partners = [name for effect in effects for name in PARTNERS.get(effect.family, ())]
    return decks.around(number, rng, tuple(partners[:2]))


PARTNERS = {
    "more_with_latios": ("Latios",),
    "more_per_nidoking": ("Nidoking",),
    "bench_nidoran": ("Nidoran♂",),
    "arceus_armor": ("Arceus",),
    "floating": ("Latias",),
    "blaze": ("Ninetales", "Magmar"),
    "recall": ("Muk", "Weezing"),
    "rock_charge": ("Golem", "Onix"),
    "gather": ("Raichu", "Electabuzz"),
}


def united(number: int, rng: random.Random) -> Deck:
    """Make a deck around a card whose Pokemon share one or two types of energy."""
    first = by_number(number)
    kinds = _needed(first)[:2] or [rng.randrange(ENERGIES)]
    lines = [first] if first.kind == Kind.POKEMON else []
    pool = [card for card in _last_stages() if set(_needed(card)) <= set(kinds)]
    helpers = [card for card in load().values() if card.kind != Kind.POKEMON]
    deck: list[Card] = []
    counts: Counter[str] = Counter()

    def add(card: Card) -> None:
        for _ in range(min(COPIES - counts[card.name], CARDS - len(deck))):
            deck.append(card)
            counts[card.name] += 1

    if not lines:
        add(first)
    while len(deck) < POKEMON:
        for card in decks.line(lines.pop() if lines else rng.choice(pool), rng):
            add(card)
    while len(deck) < CARDS:
        add(rng.choice(helpers))
    if not any(card.basic for card in deck):
        return decks.around(number, rng)
    return Deck("united", tuple(sorted(card.number for card in deck)), tuple(sorted(kinds)))


def _needed(card: Card) -> list[int]:
    found = [kind for a in card.attacks for kind in range(ENERGIES) if a.cost[kind]]
    return list(dict.fromkeys(found))


@cache
def _last_stages() -> tuple[Card, ...]:
    """Return Pokemon that nothing of the pool evolves from, as ends of lines."""
    below = {card.evolves_from for card in load().values()}
    return tuple(c for c in load().values() if c.kind == Kind.POKEMON and c.name not in below)
