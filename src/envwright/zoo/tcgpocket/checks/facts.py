"""Check every number of every card, in a state whose next step depends on it.

A cost by energy that is just enough and just too little; HP by damage that it just bears and does
not; Weakness and type by attacks; what it evolves from, its stage and its name by what may be
played; points by a knock-out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np

from envwright.zoo.tcgpocket.cards import ENERGIES, Card, Kind, Type, by_number, by_print, load
from envwright.zoo.tcgpocket.checks import states
from envwright.zoo.tcgpocket.checks.effects import PLAIN
from envwright.zoo.tcgpocket.checks.states import USED_IN_TURN, able, in_hand, in_slot, taken
from envwright.zoo.tcgpocket.checks.traces import Start, Trace, answers
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.state import NONE, Mind

Made = tuple[str, np.ndarray, int]  # the question, state, action
ASKS_NAMES = ("A1 219", "A1 220", "A1 221", "A1 222", "A1 224", "A1 226")  # Supporters of some only
FINDS = "P-A 005"  # a random Basic of the deck
TOUGH = 140  # HP


def traces(seed: int, cards: list[Card] | None = None) -> Iterator[Trace]:
    """Record all of them, card by card."""
    for card in cards if cards is not None else load().values():
        rng = random.Random(f"{seed} {card.number}")
        for about, state, action in questions(card, rng):
            said = f"{card.name}, {card.prints[0]}: {about}"
            yield from answers(Start(record=states.standing(state).tobytes()), said, action, most=3)


def questions(card: Card, rng: random.Random) -> Iterator[Made]:
    """Yield states that ask about a card."""
    yield from _from_hand(card, rng)
    if card.kind in (Kind.POKEMON, Kind.FOSSIL):
        yield from _hp(card, rng)
        yield from _weakness(card, rng)
        yield from _names(card, rng)
        yield from _benched(card, rng)
    if card.kind == Kind.POKEMON:
        yield from _costs(card, rng)
        yield from _type(card, rng)
        yield from _retreat(card, rng)


def calm(rng: random.Random, bench: int = 0) -> np.ndarray:
    """Return a position of a game without leftovers, and with a Bench of at least so many."""
    while True:
        state = states.position(rng)
        if all(len(taken(state, player)) > bench for player in (0, 1)):
            break
    state = states.without_stadium(state)
    for name in (*USED_IN_TURN, "press", "blaze", "speed"):
        state[name] = 0
    for name in ("poisoned", "burned", "mind", "no_supporter", "points"):
        state["players"][name] = 0
    for name in ("marks", "fresh", "evolved", "ability_used", "damage"):
        state["players"]["slots"][name] = 0
    return state


def _active(card: Card, rng: random.Random, bench: int = 0) -> tuple[np.ndarray, int]:
    """Put the card into the Active Spot of the player whose turn it is."""
    state = calm(rng, bench)
    player = int(state["player"])
    return in_slot(state, player, 0, card.number, rng), player


def _costs(card: Card, rng: random.Random) -> Iterator[Made]:
    """Yield each attack with just enough energy, and with each part of the cost lacking."""
    for index, attack in enumerate(card.attacks):
        exact = list(attack.cost[:ENERGIES])
        for _ in range(attack.cost[ENERGIES]):
            exact[rng.randrange(ENERGIES)] += 1
        use = actions.ATTACK + index
        lacking = [(energy, about, actions.PASS) for energy, about in _lacking(attack.cost, rng)]
        for energy, about, action in [(exact, "with just enough", use), *lacking]:
            state, player = _active(card, rng)
            state["players"][player]["slots"][0]["energy"] = energy
            state = states.tough(state, 1 - player, rng)
            yield f"attack {index} {about}", state, action


def _lacking(cost: tuple[int, ...], rng: random.Random) -> Iterator[tuple[list[int], str]]:
    for kind in range(ENERGIES):
        if cost[kind]:
            energy = list(cost[:ENERGIES])
            energy[kind] -= 1
            energy[(kind + rng.randrange(1, ENERGIES)) % ENERGIES] += 1 + cost[ENERGIES]
            yield energy, f"without one energy {kind}"
    if cost[ENERGIES]:
        energy = list(cost[:ENERGIES])
        for _ in range(cost[ENERGIES] - 1):
            energy[rng.randrange(ENERGIES)] += 1
        yield energy, "without one energy of any kind"


def _hp(card: Card, rng: random.Random) -> Iterator[Made]:
    """Let poison take the last HP, or leave ten; the other side gets the points."""
    for left in (1, 2):
        state, player = _active(card, rng, bench=1)
        side = state["players"][player]
        side["slots"][0]["damage"] = card.hp // 10 - left
        side["poisoned"] = 1
        if side["slots"][0]["tool"] != NONE:  # it might raise HP
            state, _ = states.exchanged(state, player, int(side["slots"][0]["tool"]), _helmet())
        yield f"poison with {10 * left} HP", state, actions.PASS
    state, player = _active(card, rng, bench=1)
    plains = next(c for c in load().values() if c.effect.family == "plains")
    state = states.with_stadium(state, player, plains.number, rng)
    side = state["players"][player]
    side["slots"][0]["damage"] = card.hp // 10 - (card.stage > 0)  # a Basic bears all
    side["poisoned"] = 1
    yield "on plains", state, actions.PASS


def _helmet() -> int:
    return next(c.number for c in load().values() if c.effect.family == "helmet")


@cache
def _plain(kind: int) -> tuple[Card, int]:
    """Return the Pokemon of a type with the weakest attack without effects, and the attack."""
    found = [
        (attack.damage, card.number, index)
        for card in load().values()
        if card.type == kind and not card.effect.family
        for index, attack in enumerate(card.attacks)
        if attack.damage and not attack.effect.family
    ]
    _, number, index = min(found)
    return by_number(number), index


def _weakness(card: Card, rng: random.Random) -> Iterator[Made]:
    """Let it be hit by the type of its Weakness, and by another."""
    other = (max(card.weakness, 0) + rng.randrange(1, ENERGIES)) % ENERGIES
    for kind in (card.weakness, other):
        if kind < 0:
            continue
        plain, index = _plain(kind)
        state = calm(rng)
        player = int(state["player"])
        state = in_slot(state, player, 0, plain.number, rng)
        state = in_slot(state, 1 - player, 0, card.number, rng)
        yield f"hit by {Type(kind).name}", state, actions.ATTACK + index


def _type(card: Card, rng: random.Random) -> Iterator[Made]:
    """Let it hit one that is weak to its type, in a turn in which three names do more damage."""
    hits = [i for i, attack in enumerate(card.attacks) if attack.damage]
    weak = [c for c in load().values() if c.weakness == card.type and c.hp >= TOUGH]
    if not hits or not weak:
        return
    state, player = _active(card, rng)
    state = in_slot(state, 1 - player, 0, rng.choice(weak).number, rng)
    state["blaze"] = 3
    yield "hits one that is weak to its type", state, actions.ATTACK + hits[0]


def _retreat(card: Card, rng: random.Random) -> Iterator[Made]:
    """Let it retreat with just enough energy, and not with less."""
    for less in range(2 if card.retreat else 1):
        state, player = _active(card, rng, bench=1)
        energy = [0] * ENERGIES
        for _ in range(card.retreat - less):
            energy[rng.randrange(ENERGIES)] += 1
        state["players"][player]["slots"][0]["energy"] = energy
        slot = taken(state, player)[1]
        action = actions.PASS if less else actions.RETREAT + slot - 1
        yield f"retreats with {less} energy less than the cost", state, action


def _from_hand(card: Card, rng: random.Random) -> Iterator[Made]:
    """Hold it in hand, with what it evolves from in play, and with something else in play."""
    below = [c for c in load().values() if card.evolves_from and c.name == card.evolves_from]
    others = [c for c in load().values() if c.kind == Kind.POKEMON and c not in below]
    for there in [*below[:2], rng.choice(others)]:
        state, player = _active(there, rng)
        held = in_hand(state, player, card.number, rng)
        if held is None:
            continue
        state, index = held
        yield f"in hand, {there.name} in play", state, actions.PLAY + index
        yield f"in hand, {there.name} in play, passing", state, actions.PASS
    state = calm(rng)
    player = int(state["player"])
    for _ in range(2):
        deck = states.spare(state, player, rng)
        if deck is not None:
            state, deck = states.exchanged(state, player, deck, card.number)
    held = in_hand(state, player, by_print(FINDS).number, rng)
    if held is not None:
        yield "in the deck when a Basic is looked for", held[0], actions.PLAY + held[1]


def _benched(card: Card, rng: random.Random) -> Iterator[Made]:
    """Put it on the Bench of cards that look for a name there."""
    for family in LOOKS_AT_BENCH:
        found = [(c, i) for c in load().values() for i, e in _effects(c) if e == family]
        looking, index = rng.choice(found)
        state = calm(rng, bench=1)
        player = int(state["player"])
        owner = 1 - player if family == "arceus_armor" else player
        state = in_slot(state, player, 0, by_print(PLAIN).number, rng)
        state = in_slot(state, owner, 0, looking.number, rng)
        slot = taken(state, owner)[1]
        state = in_slot(state, owner, slot, card.number, rng)
        action = actions.ATTACK + index
        if family == "floating":
            state["players"][owner]["slots"][0]["energy"] = 0
            action = actions.PASS
        yield f"on the Bench of {looking.name}", state, action


def _effects(card: Card) -> list[tuple[int, str]]:
    listed = [(index, attack.effect.family) for index, attack in enumerate(card.attacks)]
    return [*listed, (0, card.effect.family)]


LOOKS_AT_BENCH = ("more_with_latios", "more_per_nidoking", "floating", "arceus_armor")


def _names(card: Card, rng: random.Random) -> Iterator[Made]:
    """Put it into the Active Spot and on the Bench; the hand asks for names and types."""
    state, player = _active(card, rng, bench=1)
    state = in_slot(state, player, taken(state, player)[1], card.number, rng)
    able(state, player)
    side = state["players"][player]
    side["mind"] = Mind.CLEAR
    for slot in taken(state, player):
        side["slots"][slot]["damage"] = side["slots"][slot]["energy"] = 1
    used: list[int] = []
    for print_ in ASKS_NAMES:
        spare = [c for c in states.cards_in(state, player, 1) if c not in used]
        card_index = spare[0] if spare else states.spare(state, player, rng)
        if card_index is None:
            break
        if not spare:
            state = states.moved(state, player, card_index, 1)
        state, _ = states.exchanged(state, player, card_index, by_print(print_).number)
        numbers = state["players"][player]["cards"]
        wanted = {by_print(p).number for p in ASKS_NAMES}
        used = [c for c in states.cards_in(state, player, 1) if int(numbers[c]) in wanted]
    yield "the hand asks for names and types", state, actions.PASS
