"""The kinds of rows in which abilities and items are written down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

HALF, THREE_QUARTERS, ONE_AND_QUARTER, ONE_AND_HALF, DOUBLE = 2048, 3072, 5120, 6144, 8192


class Event(IntEnum):
    """Numbers that rows can multiply."""

    ATK, SPA, DEF, SPD, SPE, POWER, DAMAGE, ACCURACY = range(8)


class Fact(IntEnum):
    """Facts that a row may require. Those of the user are about the holder in the event SPE."""

    PHYSICAL = 0
    SPECIAL = 1
    CONTACT = 2
    PUNCH = 3
    BITE = 4
    SLICING = 5
    PULSE = 6
    SOUND = 7
    RECOIL = 8  # or crash damage
    SHEER = 9  # loses its secondary effects to Sheer Force
    TYPE_CHANGED = 10  # by an ability such as Pixilate
    USER_LOW = 11  # at most a third of its HP
    USER_STATUS = 12
    USER_POISONED = 13
    USER_BURNED = 14
    TARGET_FULL = 15
    SUPER_EFFECTIVE = 16
    RESISTED = 17
    CRITICAL = 18
    SUN = 19  # of the holder
    RAIN = 20
    SAND = 21
    SNOW = 22
    TARGET_NEW = 23  # has not begun a turn on the field
    WEAK_POWER = 24  # at most 60
    ELECTRIC_TERRAIN = 25
    GRASSY_TERRAIN = 26
    SLOW_START = 27
    NOT_EVOLVED = 28  # the holder
    TARGET_STATUS = 29


class Trigger(IntEnum):
    """Occasions on which rows reply."""

    SWITCH_IN, HIT, HIT_OTHER, RESIDUAL, KO, SWITCH_OUT = range(6)


class Op(IntEnum):
    """The operation of a reply; `arg` in brackets."""

    NONE = 0
    BOOST = 1  # boosts: ((stat, stages), ...)
    STATUS = 2  # (status)
    HEAL = 3  # a share 1/arg of maximum HP
    HURT = 4  # the same
    WEATHER = 5  # (weather)
    TERRAIN = 6  # (terrain)
    FLAG = 7  # (flag)


@dataclass(frozen=True)
class Modifier:
    """Multiplies a number of a hit, or the holder's speed."""

    event: Event
    factor: int  # in 4096ths
    priority: int = 0
    guard: tuple[Fact, ...] = ()
    types: tuple[str, ...] = ()  # of the move; none: any
    of_target: bool = False  # the holder is the one being hit


@dataclass(frozen=True)
class Gate:
    """Makes its holder proof against moves of some types or with some flags (onTryHit)."""

    types: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    heal: int = 0  # gets 1/heal of its HP back
    boost: tuple[str, int] | None = None
    flag: int | None = None
    priority: int = 0


@dataclass(frozen=True)
class Reply:
    """Answers a trigger."""

    trigger: Trigger
    op: Op
    arg: int = 0
    boosts: tuple[tuple[str, int], ...] = ()
    on_other: bool = False  # done to the other side, not to the holder
    guard: tuple[Fact, ...] = ()
    types: tuple[str, ...] = ()
    chance: tuple[int, int] = (1, 1)  # (1, 1) draws no number
    order: int = 0  # RESIDUAL: order and sub-order; HIT: order, 0 last
    sub_order: int = 0
    priority: int = 0  # SWITCH_IN


Row = Modifier | Gate | Reply
