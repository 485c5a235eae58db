"""A batch of battles as arrays. The last axis of every field is the battle (the lane), B long.

The party is physically reordered as in the simulator: slot 0 of a side is its active Pokemon.
Ids (species, moves, abilities, items, types) are those of the tables: 1-based, 0 is none.
Fields are stored narrow; the engine works on int32 (see `engine.context`).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from envwright.core.arrays import Array

TEAM, MOVES = 6, 4


class Status(IntEnum):
    """Major status; the number of the tables."""

    NONE, BURN, PARALYSIS, SLEEP, FREEZE, POISON, TOXIC = range(7)


class Timer(IntEnum):
    """Volatile conditions that count something; 0 is absent. Index into `timers`.

    The number is the simulator's `duration` unless stated.
    """

    CONFUSION = 0  # the simulator's `time`
    FLINCH = 1
    BOUND = 2  # partiallytrapped
    LOCKED = 3  # lockedmove; see locked_left, locked_move
    CHARGING = 4  # twoturnmove; see charge_move
    RECHARGE = 5  # mustrecharge
    STALL = 6  # see stall_counter
    PROTECT = 7  # all shields; see protect_move
    ENDURE = 8
    ENCORE = 9  # see encore_move
    TAUNT = 10
    THROAT_CHOP = 11
    HEAL_BLOCK = 12
    YAWN = 13
    ROOST = 14
    DISABLE = 15  # see disable_move
    MAGNET_RISE = 16
    GLAIVE_RUSH = 17
    FOCUS_PUNCH = 18  # 1, or 2 when focus is lost
    BEAK_BLAST = 19
    COUNTER = 20  # counter, mirrorcoat, metalburst's watch
    PERISH = 21
    SYRUP = 22
    SLOW_START = 23  # the ability's own counter
    SUPREME = 24  # supreme overlord: allies fainted when it came in, plus 1


class Flag(IntEnum):
    """Volatile conditions that are there or not: bits of `flags`. Gone on switching."""

    CHOICE_LOCK = 0  # see choice_move
    LEECH_SEED = 1
    CURSE = 2
    SALT_CURE = 3
    TRAPPED = 4  # by a move of the present foe
    NO_RETREAT = 5
    FLASH_FIRE = 6
    UNBURDEN = 7
    DESTINY_BOND = 8
    FOCUS_ENERGY = 9
    CHARGE = 10
    MINIMIZE = 11
    SMACKED_DOWN = 12
    INGRAIN = 13
    AQUA_RING = 14
    TRUANT = 15  # loafs this turn
    PROTOSYNTHESIS = 16  # see paradox_stat
    QUARK_DRIVE = 17
    FROM_BOOSTER = 18
    GASTRO_ACID = 19
    TAR_SHOT = 20
    ATTRACT = 21
    TORMENT = 22
    ABILITY_USED = 23  # protean/libero/once-per-stay abilities
    BINDER_GONE = 24  # who bound it has left the field
    BUSTED = 26  # disguise/iceface hit, forme change due
    POWDER = 27
    ABILITY_ENDING = 28  # weather suppression ends while leaving
    ITEM_STARTED = 29  # booster energy may be used
    DRAGON_CHEER = 30


class Turn(IntEnum):
    """Recent events of the active Pokemon: bits of `turn_flags`."""

    NEWLY_SWITCHED = 0
    STATS_RAISED = 1
    STATS_LOWERED = 2
    USED_ITEM = 3
    TRAPPED = 4  # may not switch at this request
    FORCE_SWITCH = 5  # to be dragged out
    SKIP_SWITCH_OUT = 6  # BeforeSwitchOut already ran
    ATE_BERRY = 7  # kept on switching
    CALLED_BACK = 8
    MOVED = 9  # moveThisTurn is set


class Mon(IntEnum):
    """Lasting marks of a Pokemon: bits of `marks`."""

    FAINTED = 0
    TERA = 1  # terastallized
    SLEPT_BY_SELF = 2  # asleep by its own or an ally's doing (Sleep Clause)
    ATE_BERRY = 3


class Cond(IntEnum):
    """Side conditions: index into `conditions`. Turns left, or layers."""

    REFLECT, LIGHT_SCREEN, AURORA_VEIL, TAILWIND, SAFEGUARD, MIST = range(6)
    SPIKES, TOXIC_SPIKES, STEALTH_ROCK, STICKY_WEB = range(6, 10)
    HEALING_WISH, LUNAR_DANCE, REVIVAL = range(10, 13)  # slot conditions
    WISH, FUTURE = range(13, 15)  # slot conditions: residuals left until they come


class Weather(IntEnum):
    """Weathers, the number of the tables."""

    NONE, RAIN, HEAVY_RAIN, SUN, HARSH_SUN, SAND, HAIL, SNOW, WINDS = range(9)


class Kind(IntEnum):
    """Kinds of queued actions, in the order in which the simulator's queue sorts them."""

    START, INSTASWITCH, BEFORE_TURN, REVIVAL, RUN_SWITCH = range(5)
    SWITCH, TERA, CHARGE, MOVE, RESIDUAL = range(5, 10)
    # not of the simulator's queue: someone is dragged out before anything else happens
    DRAG = 10


class Request(IntEnum):
    """The question to a side."""

    WAIT, MOVE, SWITCH, REVIVE = range(4)


class Result(IntEnum):
    """The simulator's `moveThisTurnResult`."""

    UNSET, SUCCESS, FAILURE, NEITHER = range(4)


# What has a handler at the end of a turn: rows of `State.since`. Of those that one move brings the
# first in this list comes first.
LASTING = (
    Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.TAILWIND, Cond.AURORA_VEIL,
    Timer.PROTECT, Timer.STALL, Timer.LOCKED, Timer.CHARGING, Timer.RECHARGE, Timer.ROOST,
    Flag.LEECH_SEED, Flag.CURSE, Timer.BOUND, Timer.TAUNT, Timer.ENCORE, Timer.YAWN,
    Timer.HEAL_BLOCK, Timer.THROAT_CHOP, Timer.DISABLE, Timer.FLINCH,
)  # fmt: skip


class State(NamedTuple):
    """B battles. `[2, ...]` is the side, `[2, 6, ...]` the party slot."""

    rng: Array  # uint32[2, B], high and low word

    # Pokemon of the party
    species: Array  # int16[2, 6, B], present forme
    uid: Array  # int8[2, 6, B], place in the team as given
    level: Array  # int8[2, 6, B]
    gender: Array  # int8[2, 6, B], 1 M, 2 F, 3 N
    growth: Array  # int8[2, 6, 6, B], IV + EV // 4 by stat, to work out another forme
    nature: Array  # int8[2, 6, B]
    stats: Array  # int16[2, 6, 5, B], stored atk def spa spd spe
    maxhp: Array  # int16[2, 6, B]
    hp: Array  # int16[2, 6, B]
    moves: Array  # int16[2, 6, 4, B]
    pp: Array  # int8[2, 6, 4, B]
    base_ability: Array  # int16[2, 6, B]
    item: Array  # int16[2, 6, B]
    last_item: Array  # int16[2, 6, B]
    status: Array  # int8[2, 6, B], Status
    status_turns: Array  # int8[2, 6, B], sleep: turns left; toxic: stage
    tera: Array  # int8[2, 6, B], tera type
    stellar: Array  # int32[2, 6, B], bits of types that Stellar has boosted
    marks: Array  # int16[2, 6, B], bits of Mon
    times_hit: Array  # int16[2, 6, B], timesAttacked

    # the active Pokemon
    ability: Array  # int16[2, B]
    types: Array  # int8[2, 3, B], first, second, added
    boosts: Array  # int8[2, 7, B], atk def spa spd spe accuracy evasion
    timers: Array  # int8[2, len(Timer), B]
    flags: Array  # int32[2, B], bits of Flag
    since: Array  # int16[2, len(LASTING), B], how long ago these came: low first, 0 absent
    turn_flags: Array  # int16[2, B], bits of Turn
    speed: Array  # int16[2, B], as last updated
    last_move: Array  # int16[2, B]
    move_result: Array  # int8[2, B], Result of this turn
    last_result: Array  # int8[2, B], Result of the turn before
    active_turns: Array  # int16[2, B]
    move_actions: Array  # int16[2, B]
    sub_hp: Array  # int16[2, B], 0: no substitute
    hurt: Array  # int16[2, B], HP after the last damage of this turn, -1 none
    last_damage: Array  # int16[2, B]
    stall_counter: Array  # int16[2, B]
    protect_move: Array  # int16[2, B], the move that shields
    choice_move: Array  # int16[2, B]
    encore_move: Array  # int16[2, B]
    disable_move: Array  # int16[2, B]
    locked_move: Array  # int16[2, B]
    locked_left: Array  # int8[2, B], trueDuration
    charge_move: Array  # int16[2, B], negative once it has been used
    paradox_stat: Array  # int8[2, B], 0 atk .. 4 spe
    switch_flag: Array  # int8[2, B], 0 no, 1 fainted, 2 by a move, 3 shed tail, 4 revival
    disabled: Array  # int8[2, B], bits of move slots that may not be chosen

    # sides
    left: Array  # int8[2, B], pokemonLeft
    fallen: Array  # int8[2, B], totalFainted
    fell_this_turn: Array  # int8[2, B], bool
    fell_last_turn: Array  # int8[2, B], bool
    tera_used: Array  # int8[2, B], bool
    conditions: Array  # int8[2, len(Cond), B]
    hazard_order: Array  # int8[2, 4, B], order of laying of SPIKES..STICKY_WEB
    wish_hp: Array  # int16[2, B]
    future_move: Array  # int16[2, B]
    future_uid: Array  # int8[2, B], who foresaw it (of the other side)

    # field
    weather: Array  # int8[B]
    weather_turns: Array  # int8[B]
    terrain: Array  # int8[B]
    terrain_turns: Array  # int8[B]
    trick_room: Array  # int8[B], turns left
    turn: Array  # int16[B]

    # program
    pending: Array  # int8[11, B], bit 0: side 0 has such an action queued, bit 1: side 1
    second_first: Array  # int8[11, B], bool: of two such actions side 1's comes first
    chosen_move: Array  # int16[2, B]
    chosen_priority: Array  # int8[2, B], priority of the queued move (tenths are in fraction)
    chosen_fraction: Array  # int8[2, B], fractional priority in tenths
    chosen_slot: Array  # int8[2, B], party slot to switch to
    request: Array  # int8[2, B], Request
    mid_turn: Array  # int8[B], bool
    winner: Array  # int8[B], 0 running, 1 or 2 the side that won, 3 tie
