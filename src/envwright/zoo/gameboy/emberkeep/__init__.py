"""Emberkeep, a Game Boy game written for reinforcement learning: its ROM and the layout of RAM."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

ROM = Path(__file__).parent / "emberkeep.gb"

ROOMS = 16  # 4 x 4
COLUMNS, ROWS = 10, 8  # squares of a room, walls included
ITEMS = 4  # places for items in a room
FOES = 3
FULL_HP = 5
BEST_SCORE = 198  # every gem, room, foe, key and door, then the relic


class Ram(IntEnum):
    """Fixed addresses; README.md describes each."""

    SCORE = 0xC0A0  # uint16
    HP = 0xC0A2
    ROOM = 0xC0A3
    X = 0xC0A4
    Y = 0xC0A5
    KEYS = 0xC0A6
    DOORS = 0xC0A7
    GEMS = 0xC0A8
    KILLS = 0xC0A9
    SEEN = 0xC0AA
    OIL = 0xC0AB
    DONE = 0xC0AC
    WON = 0xC0AD
    MODE = 0xC0AE
    FACING = 0xC0AF
    STEPS = 0xC0B0  # uint16
    FRAMES = 0xC0B2  # uint16
    SEED = 0xC0B4  # uint16
    RNG = 0xC0B6  # uint16
    WALK = 0xC0B8
    SWING = 0xC0B9
    HURT = 0xC0BA
    WIPE = 0xC0BB
    HELD = 0xC0BE
    CLOCK = 0xC0C0  # uint16
    TURN = 0xC0C2
    FOE = 0xC0D0  # uint8[3, 16]
    GRID = 0xC100  # uint8[8, 10]
    EXITS = 0xC150  # uint8[16]
    LOCKS = 0xC160  # uint8[16]
    SHAPE = 0xC170  # uint8[16]
    VISITED = 0xC180  # uint8[16]
    ITEM = 0xC190  # uint8[16, 4]
    ITEM_AT = 0xC1D0  # uint8[16, 4]
    FOE_KIND = 0xC210  # uint8[16, 3]
    FOE_AT = 0xC240  # uint8[16, 3]
    ORDER = 0xC270  # uint8[16]
    REGION = 0xC280  # uint8[16]


class Mode(IntEnum):
    TITLE = 0
    PLAY = 1
    LOST = 2
    WON = 3


class Square(IntEnum):
    """The kinds of squares; those below `WALL` can be walked on."""

    FLOOR = 0
    GEM = 1
    HEART = 2
    FLASK = 3
    KEY_MOON = 4
    KEY_STAR = 5
    KEY_SUN = 6
    RELIC = 7
    WALL = 8
    TORCH = 9
    PILLAR = 10
    WATER = 11
    GATE_MOON = 12
    GATE_STAR = 13
    GATE_SUN = 14


class FoeKind(IntEnum):
    NOBODY = 0
    SLIME = 1
    BAT = 2
    GHOUL = 3
    PUFF = 4


class Way(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3
