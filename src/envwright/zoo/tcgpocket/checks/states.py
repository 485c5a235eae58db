"""Random legal states: positions of random games, with other cards and values put into them.

    state = seasoned(rng.choice(positions()), rng)
    state = in_slot(state, player, slot, number, rng)

A state is a record of `contract.state`; functions give back a new one.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

from envwright.zoo.tcgpocket import decks
from envwright.zoo.tcgpocket.cards import ENERGIES, Kind, by_number, load
from envwright.zoo.tcgpocket.checks.players import PLAYERS
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, SLOTS, Mark, Mind, Zone, unpack
from envwright.zoo.tcgpocket.records import full_hp
from envwright.zoo.tcgpocket.reference import Game

HAND = 10
LAST_TURN = 20  # a state is at most in this turn, so that games go on in all settings
COUNT = 400
USED_IN_TURN = ("supporter", "retreated", "stadium_played", "stadium_used")


@cache
def positions(count: int = COUNT, questions: bool = False, seed: int = 0) -> tuple[bytes, ...]:
    """Return records of games in the free part of a turn.

    With `questions`, return those with other questions, setting up included.
    """
    found: list[bytes] = []
    numbers, who = sorted(load()), ("random", "builder", "fighter")
    game_number = seed
    while len(found) < count:
        rng = random.Random(game_number)
        pair = [decks.around(rng.choice(numbers), rng) for _ in range(2)]
        game, choose = Game.new(pair, game_number), PLAYERS[who[game_number % len(who)]]
        game_number += 1
        here = []
        while not game.over and game.table.turn <= LAST_TURN:
            assert game.table.question
            free = game.table.question.ask == Ask.MAIN
            if (free and game.table.turn > 2) if not questions else not free:
                here.append(game.save())
            game.step(choose(game, rng))
        found += rng.sample(here, min(3, len(here)))
    return tuple(found[:count])


def position(rng: random.Random) -> np.ndarray:
    """Draw a position, with other chance, and every field that play could have left otherwise."""
    return seasoned(unpack(rng.choice(positions())), rng)


def taken(state: Any, player: int) -> list[int]:
    """Return slots with a Pokemon."""
    return [
        slot for slot in range(SLOTS) if state["players"][player]["slots"][slot]["card"] != NONE
    ]


def cards_in(state: np.ndarray, player: int, zone: int) -> list[int]:
    """Return own cards in a zone."""
    return np.flatnonzero(state["players"][player]["zone"] == zone).tolist()


def exchanged(state: np.ndarray, player: int, card: int, number: int) -> tuple[np.ndarray, int]:
    """Return a state in which one of a player's cards is another card, and the card's new index.

    Cards ascend by number, so that indices move, and everything that names one moves along.
    """
    state = state.copy()
    side = state["players"][player]
    numbers = side["cards"].copy()
    numbers[card] = number
    _at_most_two(numbers, side["zone"], card)
    order = np.argsort(numbers, kind="stable")  # new index -> old index
    new = np.empty(256, np.uint8)
    new[NONE] = NONE
    new[order] = np.arange(CARDS)
    side["cards"] = numbers[order]
    for name in ("zone", "revealed"):
        side[name] = side[name][order]
    for name in ("card", "tool"):
        side["slots"][name] = new[side["slots"][name]]
    side["deck"] = new[side["deck"]]
    if state["asked"] == player:
        state["ask_card"] = new[state["ask_card"]]
    if state["stadium_owner"] == player:
        state["stadium_card"] = new[state["stadium_card"]]
    return state, int(new[card])


def _at_most_two(numbers: np.ndarray, zone: np.ndarray, card: int) -> None:
    """Replace further cards of a name that are not in play by plain Basics: a deck has two [G2]."""
    name = by_number(int(numbers[card])).name
    same = [c for c in range(CARDS) if c != card and by_number(int(numbers[c])).name == name]
    if len(same) < decks.COPIES:
        return
    outside = [c for c in same if zone[c] in (Zone.DECK, Zone.HAND, Zone.DISCARD)]
    known = {by_number(int(number)).name for number in numbers}
    fillers = [number for number in _fillers() if by_number(number).name not in known]
    for place, other in enumerate((outside or same)[: len(same) - decks.COPIES + 1]):
        numbers[other] = fillers[place]


@cache
def _fillers() -> tuple[int, ...]:
    """Return plain Basics, the toughest first."""
    plain = [card for card in load().values() if card.basic and not card.effect.family]
    return tuple(card.number for card in sorted(plain, key=lambda card: -card.hp))


def in_slot(
    state: np.ndarray, player: int, slot: int, number: int, rng: random.Random
) -> np.ndarray:
    """Put a Pokemon into a taken slot: new to it, with some HP, able to pay for its attacks."""
    card = int(state["players"][player]["slots"][slot]["card"])
    state, _ = exchanged(state, player, card, number)
    there = state["players"][player]["slots"][slot]
    facts = by_number(number)
    energy = [rng.choice((0, 0, 0, 1)) for _ in range(ENERGIES)]
    for attack in facts.attacks:
        energy = [max(have, need) for have, need in zip(energy, attack.cost, strict=False)]
    total = max((sum(attack.cost) for attack in facts.attacks), default=0)
    while sum(energy) < total:
        energy[rng.randrange(ENERGIES)] += 1
    there["energy"] = energy
    there["damage"] = min(int(there["damage"]), facts.hp // 10 - 1)
    there["ability_used"] = there["fresh"] = there["evolved"] = 0
    if slot == 0:
        able(state, player)
    return state


def tough(state: np.ndarray, player: int, rng: random.Random) -> np.ndarray:
    """Put a Pokemon into the Active Spot that survives nearly every attack, with all HP."""
    state = in_slot(state, player, 0, _toughest(), rng)
    state["players"][player]["slots"][0]["damage"] = 0
    return state


@cache
def _toughest() -> int:
    """Return the card with the most HP, without an ability or a Weakness if possible."""
    plain = [c for c in load().values() if c.hp and not c.effect.family and c.weakness < 0]
    return max(plain, key=lambda card: card.hp).number


def able(state: np.ndarray, player: int) -> None:
    """Let the Active Pokemon attack and retreat; in place."""
    side = state["players"][player]
    if side["mind"] != Mind.CONFUSED:
        side["mind"] = Mind.CLEAR
    side["slots"][0]["marks"][[Mark.NO_ATTACK, Mark.NO_RETREAT]] = 0


def moved(state: np.ndarray, player: int, card: int, zone: int) -> np.ndarray:
    """Move a card between deck, hand and discard pile, or onto a Pokemon as a Tool."""
    state = state.copy()
    side = state["players"][player]
    if side["zone"][card] == Zone.DECK:
        rest = [c for c in side["deck"].tolist() if c not in (card, NONE)]
        side["deck"] = rest + [NONE] * (CARDS - len(rest))
        side["seen_top"] = min(int(side["seen_top"]), len(rest))
    if zone == Zone.DECK:
        held = [c for c in side["deck"].tolist() if c != NONE]
        side["deck"][len(held)] = card
    if Zone.TOOL <= zone < Zone.STADIUM:
        side["slots"][zone - Zone.TOOL]["tool"] = card
    side["zone"][card] = zone
    side["revealed"][card] = 0
    return state


def spare(state: np.ndarray, player: int, rng: random.Random, hand: bool = False) -> int | None:
    """Return a card that is not in play and may be replaced; cards in hand last, or only them."""
    zones = (Zone.HAND,) if hand else (Zone.DISCARD, Zone.DECK)
    found = [card for zone in zones for card in cards_in(state, player, zone)]
    return rng.choice(found) if found else None


def in_hand(
    state: np.ndarray, player: int, number: int, rng: random.Random
) -> tuple[np.ndarray, int] | None:
    """Put a card into the hand, in place of one there or, with an empty hand, of another.

    Return its index, or nothing if there is no card that it could replace.
    """
    card = spare(state, player, rng, hand=True)
    if card is None:
        card = spare(state, player, rng)
        if card is None:
            return None
        state = moved(state, player, card, Zone.HAND)
    state, card = exchanged(state, player, card, number)
    numbers = state["players"][player]["cards"]
    same = [c for c in cards_in(state, player, Zone.HAND) if numbers[c] == number]
    return state, same[0]  # [C5]


def with_tool(
    state: np.ndarray, player: int, slot: int, number: int, rng: random.Random
) -> np.ndarray:
    """Put a Tool on a Pokemon, if some card can be it."""
    card = spare(state, player, rng)
    old = int(state["players"][player]["slots"][slot]["tool"])
    if old != NONE:
        return exchanged(state, player, old, number)[0]
    if card is None:
        return state
    state, card = exchanged(state, player, card, number)
    return moved(state, player, card, Zone.TOOL + slot)


def with_stadium(state: np.ndarray, player: int, number: int, rng: random.Random) -> np.ndarray:
    """Put a Stadium into play, if some card can be it."""
    state = without_stadium(state)
    card = spare(state, player, rng)
    if card is None:
        return state
    state, card = exchanged(state, player, card, number)
    state = moved(state, player, card, Zone.STADIUM)
    state["stadium_owner"], state["stadium_card"] = player, card
    return state


def without_stadium(state: np.ndarray) -> np.ndarray:
    """Let its owner discard the Stadium in play."""
    state = state.copy()
    if state["stadium_owner"] != NONE:
        owner = state["players"][int(state["stadium_owner"])]
        owner["zone"][int(state["stadium_card"])] = Zone.DISCARD
    state["stadium_owner"] = state["stadium_card"] = NONE
    return state


@cache
def of_kind(kind: Kind) -> tuple[int, ...]:
    """Return all card numbers of a kind."""
    return tuple(card.number for card in load().values() if card.kind == kind)


def standing(state: np.ndarray) -> np.ndarray:
    """Leave HP to every Pokemon in play, as in the free part of a turn."""
    state = state.copy()
    for player in (0, 1):
        for slot in taken(state, player):
            there = state["players"][player]["slots"][slot]
            there["damage"] = min(int(there["damage"]), full_hp(state, player, slot) // 10 - 1)
    return state


def seasoned(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Draw everything on the table that can vary anew, within what play can lead to."""
    state = state.copy()
    state["key"] = [rng.getrandbits(32), rng.getrandbits(32)]
    state["counter"] = rng.randrange(1000)
    turn = rng.randrange(3, LAST_TURN + 1)
    state["turn"] = turn
    state["first"] = state["player"] if turn % 2 else 1 - state["player"]
    for name in USED_IN_TURN:
        state[name] = rng.random() < 0.1
    state["press"] = rng.choice((0, 0, 0, 1, 2))
    state["blaze"] = rng.choice((0, 0, 0, 3))
    state["speed"] = rng.choice((0, 0, 0, 1, 2))
    for player in (0, 1):
        if rng.random() < 0.15 and taken(state, player):
            tool = rng.choice(of_kind(Kind.TOOL))
            state = with_tool(state, player, rng.choice(taken(state, player)), tool, rng)
        if rng.random() < 0.1:
            state = _emptied(state, player, rng)
        if rng.random() < 0.1:
            state = _full_hand(state, player, rng)
    if rng.random() < 0.15:
        state = with_stadium(state, rng.randrange(2), rng.choice(of_kind(Kind.STADIUM)), rng)
    for player in (0, 1):
        _season_side(state, player, rng)
    return state


def _emptied(state: np.ndarray, player: int, rng: random.Random) -> np.ndarray:
    """Leave a card or two, or none, in a deck."""
    left = rng.randrange(3)
    for card in cards_in(state, player, Zone.DECK)[left:]:
        state = moved(state, player, card, Zone.DISCARD)
    return state


def _full_hand(state: np.ndarray, player: int, rng: random.Random) -> np.ndarray:
    """Fill the hand to ten, or nearly, as far as the deck has cards."""
    wanted = rng.randint(HAND - 1, HAND)
    for card in cards_in(state, player, Zone.DECK):
        if len(cards_in(state, player, Zone.HAND)) < wanted:
            state = moved(state, player, card, Zone.HAND)
    return state


def _season_side(state: np.ndarray, player: int, rng: random.Random) -> None:
    side, turn = state["players"][player], int(state["turn"])
    mine = player == state["player"]
    side["points"] = rng.choice((0, 0, 1, 2))
    side["types"] = types = sum(
        1 << kind for kind in rng.sample(range(ENERGIES), rng.randint(1, 3))
    )
    declared = [kind for kind in range(ENERGIES) if types >> kind & 1]
    side["next_energy"] = rng.choice(declared)
    side["energy"] = rng.choice([*declared, NONE]) if mine else NONE
    side["spent"] = [rng.randrange(4) for _ in range(ENERGIES)]
    side["poisoned"], side["burned"] = rng.random() < 0.25, rng.random() < 0.25
    side["mind"] = rng.choice((0, 0, 0, *Mind))
    side["no_supporter"] = turn + (not mine) if rng.random() < 0.1 else 0
    side["sweets_turn"] = max(0, turn - rng.choice((1, 2, 3, 4))) if rng.random() < 0.3 else 0
    side["sweets_count"] = rng.randint(1, 4) if side["sweets_turn"] else 0
    held = int(np.count_nonzero(side["zone"] == Zone.DECK))
    side["seen_top"] = rng.choice((0, 0, rng.randint(0, min(3, held))))
    hand = side["zone"] == Zone.HAND
    side["revealed"] = hand & (rng.random() < 0.3)
    for slot in taken(state, player):
        there = side["slots"][slot]
        there["damage"] = _damage(full_hp(state, player, slot) // 10, rng)
        if rng.random() < 0.6:
            there["energy"] = [rng.choice((0, 0, 1, 2)) for _ in range(ENERGIES)]
        there["fresh"] = mine and rng.random() < 0.15
        there["evolved"] = there["fresh"] and rng.random() < 0.5
        there["ability_used"] = mine and rng.random() < 0.1
        there["marks"] = 0
        there["frenzy"] = rng.randrange(4) if slot == 0 and rng.random() < 0.2 else 0
        for mark in Mark if slot == 0 else ():
            if rng.random() < 0.08:
                there["marks"][mark] = turn + rng.randrange(2)


def _damage(tens: int, rng: random.Random) -> int:
    """Draw damage that leaves HP; often none, often nearly all."""
    kind = rng.randrange(3)
    if kind == 0:
        return 0
    return rng.randrange(tens) if kind == 1 else max(0, tens - rng.randint(1, 3))
