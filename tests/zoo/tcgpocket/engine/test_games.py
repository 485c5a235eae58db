"""Random games: cards are conserved, zones agree, observations are the contract's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from envwright.zoo.tcgpocket import deck_lists, decks
from envwright.zoo.tcgpocket.cards import load
from envwright.zoo.tcgpocket.contract.observation import flat, observe
from envwright.zoo.tcgpocket.contract.state import NONE, SLOTS, Zone
from envwright.zoo.tcgpocket.engine.games import Games
from envwright.zoo.tcgpocket.engine.packing import Packing


def _pairs(count: int, seed: int, around: bool) -> list:
    rng, names, numbers = random.Random(seed), list(deck_lists.LISTS), list(load())
    deck = lambda: (  # noqa: E731
        decks.around(rng.choice(numbers), rng) if around else deck_lists.named(rng.choice(names))
    )
    return [(deck(), deck()) for _ in range(count)]


def _random_actions(games: Games, rng: np.random.Generator) -> np.ndarray:
    masks = games.masks
    return (masks * rng.random(masks.shape)).argmax(1)


def _agrees(side: np.ndarray, stadium: int | None) -> bool:
    """Whether `deck`, `slots` and the Stadium tell the same as `zone`."""
    deck = side["deck"][side["deck"] != NONE].tolist()
    told = {card: int(Zone.DECK) for card in deck}
    for slot in range(SLOTS):
        for field, zone in (("card", Zone.POKEMON), ("tool", Zone.TOOL)):
            if side["slots"][slot][field] != NONE:
                told[int(side["slots"][slot][field])] = zone + slot
    if stadium is not None:
        told[stadium] = Zone.STADIUM
    free = {Zone.HAND, Zone.DISCARD, *range(Zone.UNDER, Zone.UNDER + SLOTS)}
    zones = dict(enumerate(side["zone"].tolist()))
    rest = {card: zone for card, zone in zones.items() if zone not in free}
    shown = (side["revealed"] == 1) & (side["zone"] != Zone.HAND)
    return rest == told and len(set(deck)) == len(deck) and not shown.any()


def _invariants(record: np.ndarray) -> None:
    for player, side in enumerate(record["players"]):
        owner = record["stadium_owner"] == player
        assert _agrees(side, int(record["stadium_card"]) if owner else None)
        empty = side["slots"]["card"] == NONE
        assert not side["slots"]["energy"][empty].any()


@pytest.mark.parametrize("around", [False, True])
def test_random_games_keep_their_cards_and_end(around: bool) -> None:
    games, rng = Games(xp="numpy"), np.random.default_rng(0)
    games.new(_pairs(48, 1, around), list(range(48)))
    for step in range(400):
        if games.over.all():
            break
        assert (games.masks.sum(1)[~games.over] >= 2).all()
        games.step(_random_actions(games, rng))
        for record in games.records[step % 8 :: 8]:
            _invariants(record)
    assert games.over.all()
    assert (games.records["winner"] > 0).all()
    assert (games.rewards.sum(1) == 0).all()


@pytest.mark.slow
def test_a_thousand_random_games_keep_their_cards_and_end() -> None:
    games, rng = Games(xp="numpy"), np.random.default_rng(1)
    games.new(_pairs(1000, 2, True), list(range(1000)))
    while not games.over.all():
        assert (games.masks.sum(1)[~games.over] >= 2).all()
        games.step(_random_actions(games, rng))
    for record in games.records:
        _invariants(record)


def test_observations_are_those_of_the_contract() -> None:
    games, rng = Games(xp="numpy"), np.random.default_rng(2)
    games.new(_pairs(16, 3, True), list(range(16)))
    for _ in range(40):
        records = games.records
        for player in (0, 1):
            views = games.observe([player] * 16)
            for record, view in zip(records[::4], views[::4], strict=True):
                assert (flat(observe(record, player, games.settings)) == view).all()
        games.step(_random_actions(games, rng))


def test_a_loaded_record_is_the_same_game() -> None:
    games, again = Games(xp="numpy"), Games(xp="numpy")
    rng = np.random.default_rng(3)
    games.new(_pairs(16, 4, False), list(range(16)))
    for _ in range(30):
        games.step(_random_actions(games, rng))
        again.load(games.records)
        assert again.records.tobytes() == games.records.tobytes()
        assert (again.masks == games.masks).all()


def test_packed_fields_come_back_as_they_were() -> None:
    packing = Packing(a=5, b=30, c=1, d=11)
    columns = {"a": [3, 31], "b": [1 << 29, 7], "c": [1, 0], "d": [2047, 5]}
    words = packing.pack(columns, 2)
    assert all(packing.get(words, name).tolist() == columns[name] for name in columns)
