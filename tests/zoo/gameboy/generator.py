"""Emberkeep's generator of keeps once more, in Python: quick enough to look at every seed.

It leaves what the game leaves in RAM from `Ram.EXITS` on, byte by byte (the tests compare).
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from tests.zoo.gameboy.expert import MOVE, ROOM_STEP, Place, doorway

from envwright.zoo.gameboy.emberkeep import COLUMNS, FOES, ITEMS, ROM, ROOMS, FoeKind, Square, Way

NOWHERE = 0xFF
INNER_COLUMNS, INNER_ROWS = 8, 6
START, RELIC = 4 * COLUMNS + 4, 3 * COLUMNS + 4
EXTRAS = [0, 0, 3, 2, 0, 3, 2, 0, 3, 2, 0, 3, 2, 0, 2, 0]  # hearts and flasks by order


def shapes() -> list[set[Place]]:
    """The free squares of each shape of rooms, from the source."""
    rows = re.findall(r'"([.o~]{8})"', (ROM.parent / "shapes.c").read_text())
    return [
        {
            (x + 1, y + 1)
            for y, row in enumerate(rows[first : first + INNER_ROWS])
            for x, c in enumerate(row)
            if c == "."
        }
        for first in range(0, len(rows), INNER_ROWS)
    ]


def before(way: Way) -> list[Place]:
    """The squares inside a doorway."""
    dx, dy = MOVE[way]
    return [(x - dx, y - dy) for x, y in doorway(way)]


SHAPES = shapes()
FREE = [{y * COLUMNS + x for x, y in shape} for shape in SHAPES]
BEFORE_DOORWAYS = {y * COLUMNS + x for way in Way for x, y in before(way)}


def flood(free: set[Place], start: Place) -> set[Place]:
    known, queue = {start}, deque([start])
    while queue:
        x, y = queue.popleft()
        near = {(x + dx, y + dy) for dx, dy in MOVE.values()} & free - known
        known |= near
        queue.extend(near)
    return known


def beside(room: int, way: Way) -> int:
    row, column = divmod(room, 4)
    dx, dy = MOVE[way]
    inside = 0 <= row + dy < 4 and 0 <= column + dx < 4
    return room + ROOM_STEP[way] if inside else NOWHERE


NEIGHBOUR = [[beside(room, way) for way in Way] for room in range(ROOMS)]


def table(width: int = 1):
    return field(default_factory=lambda: [0] * (ROOMS * width))


@dataclass
class Maker:
    """A keep in the making; its tables are those of `struct World`."""

    rng: int  # the seed, at first
    exits: list[int] = table()
    locks: list[int] = table()
    shape: list[int] = table()
    visited: list[int] = table()
    item: list[int] = table(ITEMS)
    item_at: list[int] = table(ITEMS)
    foe: list[int] = table(FOES)
    foe_at: list[int] = table(FOES)
    order: list[int] = table()
    region: list[int] = field(default_factory=lambda: [NOWHERE] * ROOMS)

    def draw(self) -> int:
        self.rng = (self.rng * 25173 + 13849) & 0xFFFF
        return self.rng >> 8

    def below(self, n: int) -> int:
        return self.draw() * n >> 8

    def connect(self, room: int, way: int, lock: int) -> None:
        for at, direction in ((room, way), (NEIGHBOUR[room][way], way ^ 2)):
            self.exits[at] |= 1 << direction
            self.locks[at] |= lock << 2 * direction

    def grow(self, locked: dict[int, int]) -> None:
        self.order[0] = 12 + (self.draw() >> 6)
        self.region[self.order[0]] = 0
        for order in range(1, ROOMS):
            while True:
                room, way = self.draw() >> 4, self.draw() >> 6
                parent = NEIGHBOUR[room][way]
                if self.region[room] == NOWHERE and parent != NOWHERE:
                    if self.region[parent] != NOWHERE:
                        break
            lock = locked.get(order, 0)
            self.connect(room, way, lock)
            self.order[order] = room
            self.region[room] = lock or self.region[parent]

    def add_doorways(self) -> None:
        for _ in range(12):
            room, way = self.draw() >> 4, self.draw() >> 6
            other = NEIGHBOUR[room][way]
            if other != NOWHERE and self.region[other] == self.region[room]:
                self.connect(room, way, 0)

    def free_square(self, room: int, for_foe: bool) -> int:
        items = range(room * ITEMS, (room + 1) * ITEMS)
        foes = range(room * FOES, (room + 1) * FOES)
        taken = {self.item_at[i] for i in items if self.item[i]}
        taken |= {self.foe_at[i] for i in foes if self.foe[i]}
        taken |= {START} if room == self.order[0] else set()
        taken |= BEFORE_DOORWAYS if for_foe else set()
        free = FREE[self.shape[room]] - taken
        while True:
            x, y = self.draw() >> 5, self.below(INNER_ROWS)
            at = (y + 1) * COLUMNS + x + 1
            if at in free:
                return at

    def put_item(self, room: int, place: int, kind: int) -> None:
        self.item_at[room * ITEMS + place] = self.free_square(room, False)
        self.item[room * ITEMS + place] = kind

    def foe_kind(self, order: int) -> int:
        if order < 4:
            return FoeKind.SLIME + (self.draw() >> 7)
        if order == ROOMS - 1:
            return FoeKind.BAT + (self.draw() >> 7)
        return FoeKind.SLIME + self.below(3)

    def furnish(self, order: int) -> None:
        room, last = self.order[order], order == ROOMS - 1
        self.shape[room] = 0 if order == 0 else 15 if last else 1 + self.below(14)
        if last:
            self.item[room * ITEMS + 2], self.item_at[room * ITEMS + 2] = Square.RELIC, RELIC
        self.put_item(room, 0, Square.GEM)
        self.put_item(room, 1, Square.GEM)
        if EXTRAS[order]:
            self.put_item(room, 3, EXTRAS[order])
        for i in range(0 if order == 0 else 1 if order < 4 else 3 if last else 2):
            self.foe_at[room * FOES + i] = self.free_square(room, True)
            self.foe[room * FOES + i] = self.foe_kind(order)

    def room_of(self, region: int, end: int) -> int:
        while True:
            room = self.order[1 + self.below(end - 1)]
            if self.region[room] == region:
                return room

    def make(self) -> Maker:
        for _ in range(4):
            self.draw()
        moon_door, star_door = 4 + self.below(3), 8 + self.below(3)
        self.grow({moon_door: 1, star_door: 2, ROOMS - 1: 3})
        self.add_doorways()
        for order in range(ROOMS):
            self.furnish(order)
        self.put_item(self.room_of(0, moon_door), 2, Square.KEY_MOON)
        self.put_item(self.room_of(1, ROOMS - 1), 2, Square.KEY_STAR)
        self.put_item(self.room_of(2, ROOMS - 1), 2, Square.KEY_SUN)
        return self
