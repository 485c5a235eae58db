"""Every keep that a seed makes can be won, and is worth the same.

The generator in Python leaves the same bytes as the game's; what it makes of each seed is solved
here. The expert then wins on the game itself, by buttons alone.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter

import pytest
from tests.zoo.gameboy.expert import Expert, Keep
from tests.zoo.gameboy.generator import (
    BEFORE_DOORWAYS,
    FREE,
    NEIGHBOUR,
    NOWHERE,
    SHAPES,
    Maker,
    before,
    flood,
)

from envwright.zoo.gameboy.emberkeep import BEST_SCORE, FOES, ITEMS, ROOMS, Ram, Square, Way

SEEDS = range(1, 65536)
SOME_SEEDS = [1, 2, 3, 255, 256, 0x1234, 0x7FFF, 0xFFFF]
BUTTONS = ["up", "down", "left", "right", "a", "b", ""]
CONTENTS = {
    Square.GEM: 32,
    Square.HEART: 5,
    Square.FLASK: 4,
    Square.KEY_MOON: 1,
    Square.KEY_STAR: 1,
    Square.KEY_SUN: 1,
    Square.RELIC: 1,
}
TABLES = {
    Ram.EXITS: "exits",
    Ram.LOCKS: "locks",
    Ram.SHAPE: "shape",
    Ram.ITEM: "item",
    Ram.ITEM_AT: "item_at",
    Ram.FOE_KIND: "foe",
    Ram.FOE_AT: "foe_at",
    Ram.ORDER: "order",
    Ram.REGION: "region",
}


@pytest.mark.parametrize("free", SHAPES)
def test_a_shape_joins_all_its_squares_and_doorways(free):
    for way in Way:
        assert set(before(way)) <= free
    assert flood(free, before(Way.NORTH)[0]) == free


def test_there_are_sixteen_shapes():
    assert len(SHAPES) == 16


def check_same_keep(console, seed: int) -> None:
    console.start(seed)
    keep = Maker(seed).make()
    for address, name in TABLES.items():
        values = getattr(keep, name)
        # Where a taken or missing thing lies is left from before.
        kinds = {"item_at": keep.item, "foe_at": keep.foe}.get(name, [1] * len(values))
        seen = [console.peek(address + i) if kind else 0 for i, kind in enumerate(kinds)]
        assert seen == values, (seed, name)


def test_the_generator_in_python_is_the_games(console):
    for seed in [*SOME_SEEDS, *range(1000, 1040)]:
        check_same_keep(console, seed)


@pytest.mark.slow
def test_the_generator_in_python_is_the_games_on_two_thousand_seeds(console):
    for seed in SEEDS[::32]:
        check_same_keep(console, seed)


def places(room: int, width: int) -> range:
    return range(room * width, (room + 1) * width)


def check_solvable(keep: Maker, seed: int) -> None:
    contents = Counter(keep.item)
    del contents[0]
    assert contents == CONTENTS, seed
    assert sum(kind > 0 for kind in keep.foe) == 28, seed
    for room in range(ROOMS):
        items = [keep.item_at[i] for i in places(room, ITEMS) if keep.item[i]]
        foes = [keep.foe_at[i] for i in places(room, FOES) if keep.foe[i]]
        assert len({*items, *foes}) == len(items) + len(foes), seed
        assert {*items, *foes} <= FREE[keep.shape[room]], seed
        assert not BEFORE_DOORWAYS & set(foes), seed
        for way in range(4):
            if keep.exits[room] >> way & 1:
                other = NEIGHBOUR[room][way]
                assert other != NOWHERE and keep.exits[other] >> (way ^ 2) & 1, seed
    stages = reached_by_keys(keep)
    assert [keys for keys, _ in stages] == [0, 1, 3, 7], (seed, "moon, then star, then sun")
    assert [keep.order[-1] in rooms for _, rooms in stages] == [False, False, False, True], seed
    assert len(stages[-1][1]) == ROOMS, seed


def reached_by_keys(keep: Maker) -> list[tuple[int, set[int]]]:
    """Rooms reached with no key, then with the keys found there, and so on."""
    keys, rooms, stages = 0, {keep.order[0]}, []
    while True:
        while (
            more := {
                NEIGHBOUR[room][way]
                for room in rooms
                for way in range(4)
                if keep.exits[room] >> way & 1
                and (not (lock := keep.locks[room] >> 2 * way & 3) or keys >> (lock - 1) & 1)
            }
            - rooms
        ):
            rooms |= more
        stages.append((keys, set(rooms)))
        found = {keep.item[room * ITEMS + 2] for room in rooms}
        now = sum(1 << i for i in range(3) if Square.KEY_MOON + i in found)
        if now == keys:
            return stages
        keys = now


def test_keeps_can_be_won():
    for seed in SEEDS[::100]:
        check_solvable(Maker(seed).make(), seed)


@pytest.mark.slow
def test_every_keep_can_be_won():
    for seed in SEEDS:
        check_solvable(Maker(seed).make(), seed)


def test_the_expert_wins_with_every_point(console):
    for seed in SOME_SEEDS[:3]:
        console.start(seed)
        assert Expert(console).play(), seed
        assert Keep(console).score == BEST_SCORE


@pytest.mark.slow
@pytest.mark.parametrize("thorough", [True, False])
def test_the_expert_wins_forty_keeps(console, thorough):
    lost = []
    for seed in range(100, 140):
        console.start(seed)
        if not Expert(console, thorough=thorough).play():
            lost.append(seed)
    assert not lost


@pytest.mark.slow
def test_random_buttons_score_some_points_but_few(console):
    scores = []
    for game in range(20):
        console.start(500 + game)
        rng = random.Random(game)
        for _ in range(1000):
            button = rng.choice(BUTTONS)
            console.press((button,) if button else (), 8)
            if console.peek(Ram.DONE):
                break
        scores.append(Keep(console).score)
    assert 3 < statistics.mean(scores) < 20
    assert max(scores) < BEST_SCORE / 3
