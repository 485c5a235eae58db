"""Plays Emberkeep from RAM, on any emulator: that a keep can be won is shown by winning.

Nothing is poked: rooms, doors and foes are read, and buttons pressed for 8 frames at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from envwright.zoo.gameboy.emberkeep import (
    COLUMNS,
    FOES,
    FULL_HP,
    ITEMS,
    ROOMS,
    ROWS,
    FoeKind,
    Mode,
    Ram,
    Square,
    Way,
)

STEP = 8  # frames of a step, a swing, a change of rooms
BUTTON = {Way.NORTH: "up", Way.EAST: "right", Way.SOUTH: "down", Way.WEST: "left"}
MOVE = {Way.NORTH: (0, -1), Way.EAST: (1, 0), Way.SOUTH: (0, 1), Way.WEST: (-1, 0)}
ROOM_STEP = {Way.NORTH: -4, Way.EAST: 1, Way.SOUTH: 4, Way.WEST: -1}
FOE_BYTES = 16

Place = tuple[int, int]  # x, y


class Machine(Protocol):
    def press(self, buttons: tuple[str, ...], frames: int) -> None:
        """Holds buttons for so many frames and lets them go."""

    def peek(self, address: int) -> int: ...


class Foe(NamedTuple):
    kind: FoeKind
    at: Place
    dazed: int  # frames
    raised: bool  # about to strike


class Keep:
    """What RAM says, in words."""

    def __init__(self, machine: Machine) -> None:
        self.peek = machine.peek

    def word(self, address: int) -> int:
        return self.peek(address) | self.peek(address + 1) << 8

    @property
    def score(self) -> int:
        return self.word(Ram.SCORE)

    @property
    def room(self) -> int:
        return self.peek(Ram.ROOM)

    @property
    def hero(self) -> Place:
        return self.peek(Ram.X), self.peek(Ram.Y)

    @property
    def playing(self) -> bool:
        return self.peek(Ram.MODE) == Mode.PLAY

    def square(self, at: Place) -> int:
        return self.peek(Ram.GRID + at[1] * COLUMNS + at[0])

    def foes(self) -> list[Foe]:
        found = []
        for i in range(FOES):
            kind, _, x, y, *_, dazed, raised = (
                self.peek(Ram.FOE + i * FOE_BYTES + j) for j in range(11)
            )
            if kind not in (FoeKind.NOBODY, FoeKind.PUFF):
                found.append(Foe(FoeKind(kind), (x, y), dazed, bool(raised)))
        return found

    def items(self, room: int) -> dict[Place, Square]:
        places = {}
        for i in range(ROOMS * ITEMS)[room * ITEMS : (room + 1) * ITEMS]:
            kind, at = self.peek(Ram.ITEM + i), self.peek(Ram.ITEM_AT + i)
            if kind:
                places[(at % COLUMNS, at // COLUMNS)] = Square(kind)
        return places

    def foes_left(self, room: int) -> int:
        return sum(self.peek(Ram.FOE_KIND + room * FOES + i) > 0 for i in range(FOES))

    def ways(self, room: int) -> Iterator[tuple[Way, int]]:
        """Doorways that are open or whose key is at hand, and where they lead."""
        keys = self.peek(Ram.KEYS)
        for way in Way:
            lock = self.peek(Ram.LOCKS + room) >> 2 * way & 3
            if self.peek(Ram.EXITS + room) >> way & 1 and (not lock or keys >> (lock - 1) & 1):
                yield way, room + ROOM_STEP[way]


def doorway(way: Way) -> list[Place]:
    """Its two squares."""
    match way:
        case Way.NORTH:
            return [(4, 0), (5, 0)]
        case Way.EAST:
            return [(COLUMNS - 1, 3), (COLUMNS - 1, 4)]
        case Way.SOUTH:
            return [(4, ROWS - 1), (5, ROWS - 1)]
        case Way.WEST:
            return [(0, 3), (0, 4)]


def first_way_to(keep: Keep, wanted: Callable[[int], bool]) -> Way | None:
    """The doorway towards the nearest room that is wanted."""
    queue: deque[tuple[int, Way | None]] = deque([(keep.room, None)])
    known = {keep.room}
    while queue:
        room, first = queue.popleft()
        for way, other in keep.ways(room):
            if other in known:
                continue
            known.add(other)
            if wanted(other):
                return way if first is None else first
            queue.append((other, way if first is None else first))
    return None


class Expert:
    """`thorough` takes every gem and beats every foe before it goes for the relic."""

    def __init__(self, machine: Machine, *, thorough: bool = True) -> None:
        self.machine, self.keep, self.thorough = machine, Keep(machine), thorough

    def play(self, most_steps: int = 6000) -> bool:
        """Until the game is over; whether it was won."""
        for _ in range(most_steps):
            if not self.keep.playing:
                break
            self.machine.press(self.decide(), STEP)
        return bool(self.machine.peek(Ram.WON))

    def decide(self) -> tuple[str, ...]:
        keep, foes = self.keep, self.keep.foes()
        x, y = keep.hero
        near = [foe for foe in foes if abs(foe.at[0] - x) + abs(foe.at[1] - y) == 1]
        if near:
            return self.fight(near)
        way = self.next_step(foes)
        return () if way is None else (BUTTON[way],)

    def fight(self, near: list[Foe]) -> tuple[str, ...]:
        awake = [foe for foe in near if not foe.dazed]
        if len(awake) > 1 and self.keep.peek(Ram.OIL):
            return ("b",)
        x, y = self.keep.hero
        foe = max(near, key=lambda foe: (foe.raised, -foe.dazed))
        way = next(w for w, m in MOVE.items() if (x + m[0], y + m[1]) == foe.at)
        return (BUTTON[way], "a")

    def next_step(self, foes: list[Foe]) -> Way | None:
        keep = self.keep
        goals = {at for at, kind in keep.items(keep.room).items() if self.wants(kind)}
        if self.thorough:
            goals |= {foe.at for foe in foes}
        if not goals:
            way = first_way_to(keep, self.wants_room)
            if way is None or keep.hero in doorway(way):
                return way
            goals = set(doorway(way))
        around = self.path(goals, foes)
        return self.path(goals, []) if around is None else around

    def wants(self, kind: Square) -> bool:
        match kind:
            case Square.GEM:
                return self.thorough
            case Square.HEART:
                return self.keep.peek(Ram.HP) < FULL_HP
            case Square.RELIC:
                return not self.thorough or not self.chores()
            case _:
                return True

    def chores(self) -> bool:
        """Whether any room but the relic's has something left that is worth points."""
        keep = self.keep
        gems = any(Square.GEM in keep.items(room).values() for room in range(ROOMS))
        return gems or any(keep.foes_left(room) for room in range(ROOMS))

    def wants_room(self, room: int) -> bool:
        keep = self.keep
        if any(self.wants(kind) for kind in keep.items(room).values()):
            return True
        return self.thorough and bool(keep.foes_left(room) or not keep.peek(Ram.VISITED + room))

    def path(self, goals: set[Place], foes: list[Foe]) -> Way | None:
        """The first step of a shortest way to any goal, round foes and round the relic."""
        start = self.keep.hero
        stop = {foe.at for foe in foes} - goals
        queue: deque[tuple[Place, Way | None]] = deque([(start, None)])
        known = {start}
        while queue:
            at, first = queue.popleft()
            if at in goals and first is not None:
                return first
            for way, (dx, dy) in MOVE.items():
                to = (at[0] + dx, at[1] + dy)
                if to in known or not (0 <= to[0] < COLUMNS and 0 <= to[1] < ROWS):
                    continue
                if to in stop or not (self.is_free(to) or to in goals):
                    continue
                known.add(to)
                queue.append((to, way if first is None else first))
        return None

    def is_free(self, at: Place) -> bool:
        kind = self.keep.square(at)
        return kind < Square.WALL and (kind != Square.RELIC or self.wants(Square.RELIC))
