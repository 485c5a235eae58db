"""Every keep that a seed makes can be won, and is worth the same.

What the game's own generator left in RAM is solved here, seed by seed; then the expert wins by
buttons alone.
"""

from __future__ import annotations

import random
import re
import statistics
from collections import deque

import pytest
from tests.zoo.gameboy.expert import MOVE, ROOM_STEP, Expert, Keep, Place, doorway

from envwright.zoo.gameboy.game import (
    BEST_SCORE,
    COLUMNS,
    FOES,
    ITEMS,
    ROM,
    ROOMS,
    FoeKind,
    Ram,
    Square,
    Way,
)

SOME_SEEDS = [1, 2, 3, 255, 256, 0x1234, 0x7FFF, 0xFFFF]
BUTTONS = ["up", "down", "left", "right", "a", "b", ""]


def shapes() -> list[set[Place]]:
    """The free squares of each shape of rooms, from the source."""
    rows = re.findall(r'"([.o~]{8})"', (ROM.parent / "shapes.c").read_text())
    return [
        {
            (x + 1, y + 1)
            for y, row in enumerate(rows[first : first + 6])
            for x, c in enumerate(row)
            if c == "."
        }
        for first in range(0, len(rows), 6)
    ]


def before(way: Way) -> list[Place]:
    """The squares inside a doorway."""
    dx, dy = MOVE[way]
    return [(x - dx, y - dy) for x, y in doorway(way)]


def flood(free: set[Place], start: Place) -> set[Place]:
    known, queue = {start}, deque([start])
    while queue:
        x, y = queue.popleft()
        near = {(x + dx, y + dy) for dx, dy in MOVE.values()} & free - known
        known |= near
        queue.extend(near)
    return known


@pytest.mark.parametrize("free", shapes())
def test_a_shape_joins_all_its_squares_and_doorways(free):
    for way in Way:
        assert set(before(way)) <= free
    assert flood(free, before(Way.NORTH)[0]) == free


def test_there_are_sixteen_shapes():
    assert len(shapes()) == 16


def check_keep(console, seed: int) -> None:
    """Solves what the generator made."""
    keep, free = Keep(console), shapes()
    exits = [console.peek(Ram.EXITS + room) for room in range(ROOMS)]
    locks = [console.peek(Ram.LOCKS + room) for room in range(ROOMS)]
    kinds: list[Square] = []
    for room in range(ROOMS):
        inside = free[console.peek(Ram.SHAPE + room)]
        items = keep.items(room)
        kinds += items.values()
        assert set(items) <= inside, (seed, room)
        taken = sum(console.peek(Ram.ITEM + room * ITEMS + i) > 0 for i in range(ITEMS))
        assert len(items) == taken, (seed, room, "two items on a square")
        for i in range(FOES):
            if console.peek(Ram.FOE_KIND + room * FOES + i):
                at = console.peek(Ram.FOE_AT + room * FOES + i)
                place = (at % COLUMNS, at // COLUMNS)
                assert place in inside
                assert not any(place in before(way) for way in Way)
        for way in Way:
            if exits[room] >> way & 1:
                other, back = room + ROOM_STEP[way], way ^ 2
                assert 0 <= other < ROOMS and exits[other] >> back & 1
                assert locks[room] >> 2 * way & 3 == locks[other] >> 2 * back & 3
    counts = {kind: kinds.count(kind) for kind in Square if kind in kinds}
    assert counts == {
        Square.GEM: 32,
        Square.HEART: 5,
        Square.FLASK: 4,
        Square.KEY_MOON: 1,
        Square.KEY_STAR: 1,
        Square.KEY_SUN: 1,
        Square.RELIC: 1,
    }, seed
    foes = [console.peek(Ram.FOE_KIND + i) for i in range(ROOMS * FOES)]
    assert len(foes) - foes.count(FoeKind.NOBODY) == 28
    assert solve(console, keep, exits, locks) == ROOMS, seed


def solve(console, keep: Keep, exits: list[int], locks: list[int]) -> int:
    """How many rooms can be reached with the keys that can be reached, the relic's among them."""
    keys, known = 0, {keep.room}
    while True:
        size = len(known), keys
        for room in list(known):
            for kind in keep.items(room).values():
                if Square.KEY_MOON <= kind <= Square.KEY_SUN:
                    keys |= 1 << (kind - Square.KEY_MOON)
            for way in Way:
                lock = locks[room] >> 2 * way & 3
                if exits[room] >> way & 1 and (not lock or keys >> (lock - 1) & 1):
                    known.add(room + ROOM_STEP[way])
        if size == (len(known), keys):
            return len(known)


def test_the_relic_is_behind_three_doors(console):
    for seed in SOME_SEEDS:
        console.start(seed)
        exits = [console.peek(Ram.EXITS + room) for room in range(ROOMS)]
        locks = [console.peek(Ram.LOCKS + room) for room in range(ROOMS)]
        reached = {console.peek(Ram.ROOM)}
        for _ in range(ROOMS):
            reached |= {
                room + ROOM_STEP[way]
                for room in reached
                for way in Way
                if exits[room] >> way & 1 and not locks[room] >> 2 * way & 3
            }
        found = {kind for room in reached for kind in Keep(console).items(room).values()}
        assert Square.KEY_MOON in found
        assert not found & {Square.KEY_STAR, Square.KEY_SUN, Square.RELIC}


def test_keeps_can_be_won(console):
    for seed in [*SOME_SEEDS, *range(1000, 1040)]:
        console.start(seed)
        check_keep(console, seed)


@pytest.mark.slow
def test_two_thousand_keeps_can_be_won(console):
    for seed in range(1, 65536, 32):
        console.start(seed)
        check_keep(console, seed)


def test_the_expert_wins_with_every_point(console):
    for seed in SOME_SEEDS[:3]:
        console.start(seed)
        assert Expert(console).play(), seed
        assert Keep(console).score == BEST_SCORE


@pytest.mark.slow
@pytest.mark.parametrize("thorough", [True, False])
def test_the_expert_wins_a_hundred_keeps(console, thorough):
    lost = []
    for seed in range(100, 200):
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
