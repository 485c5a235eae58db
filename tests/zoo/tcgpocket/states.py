"""Random legal states, cards transplanted into them, and what holds in every state."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from envwright.zoo.tcgpocket import decks
from envwright.zoo.tcgpocket.cards import ENERGIES, by_number, load
from envwright.zoo.tcgpocket.contract.actions import ACTIONS, Ask, Stage
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, SLOTS, Mind, Zone, empty, unpack
from envwright.zoo.tcgpocket.reference import Game

EMPTY_SLOT = empty()["players"][0]["slots"][0].tobytes()


@cache
def main_states(count: int = 60, questions: bool = False) -> list[bytes]:
    """States of random games in which whose turn it is may do what it likes.

    With `questions` states in which somebody is asked for something else, setting up included.
    """
    found: list[bytes] = []
    numbers = sorted(load())
    seed = 0
    while len(found) < count:
        rng = random.Random(seed)
        game = Game.new([decks.around(rng.choice(numbers), rng) for _ in range(2)], seed)
        seed += 1
        here = []
        while not game.over:
            free = game.table.question.ask == Ask.MAIN
            if (free and game.table.turn > 2) if not questions else not free:
                here.append(game.save())
            game.step(rng.choice(game.legal))
        found += rng.sample(here, min(3, len(here)))
    return found[:count]


def transplant(data: bytes, player: int, card: int, number: int) -> tuple[np.ndarray, int]:
    """A state in which one of a player's cards is another card; and the index that it has now.

    Cards ascend by number, so that indices move, and everything that names one moves along.
    """
    state = unpack(data)
    side = state["players"][player]
    numbers = side["cards"].copy()
    numbers[card] = number
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


def put_in_slot(data: bytes, player: int, slot: int, number: int, rng: random.Random) -> np.ndarray:
    """A state with a Pokemon in a slot that is taken: new to it, able to pay for its attacks."""
    card = int(unpack(data)["players"][player]["slots"][slot]["card"])
    state, _ = transplant(data, player, card, number)
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
    there["marks"] = 0
    if slot == 0:
        state["players"][player]["mind"] = Mind.CLEAR
    return state


def check(game) -> None:
    """What holds in every state, whatever has happened."""
    state = unpack(game.save())
    for player in state["players"]:
        _check_player(player)
    owner, stadium = int(state["stadium_owner"]), int(state["stadium_card"])
    there = [tuple(found) for found in np.argwhere(state["players"]["zone"] == Zone.STADIUM)]
    assert there == ([] if owner == NONE else [(owner, stadium)])
    if game.over:
        assert state["winner"] and state["stage"] == Stage.OVER and not state["ask"]
    else:
        assert len(game.legal) > 1 and state["ask"] and not state["winner"]
        assert game.legal == sorted(set(game.legal)) and game.legal[-1] < ACTIONS
        assert game.mover == state["asked"]


def _check_player(player: np.ndarray) -> None:
    zone, slots = player["zone"].tolist(), player["slots"]
    deck = [card for card in player["deck"].tolist() if card != NONE]
    assert sorted(deck) == [card for card in range(CARDS) if zone[card] == Zone.DECK]
    numbers = player["cards"].tolist()
    assert numbers == sorted(numbers) and max(zone) <= Zone.STADIUM
    assert player["seen_top"] <= len(deck)
    assert all(zone[card] == Zone.HAND for card in np.flatnonzero(player["revealed"]))
    for slot in range(SLOTS):
        card, tool = int(slots["card"][slot]), int(slots["tool"][slot])
        tops = [c for c in range(CARDS) if zone[c] == Zone.POKEMON + slot]
        assert tops == ([] if card == NONE else [card])
        assert [c for c in range(CARDS) if zone[c] == Zone.TOOL + slot] == [tool] * (tool != NONE)
        if card == NONE:
            assert Zone.UNDER + slot not in zone
            assert slots[slot].tobytes() == EMPTY_SLOT
