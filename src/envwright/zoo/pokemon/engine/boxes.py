"""What a `Context` unpacks a batch of battles into: named arrays that rules read and replace.

A field is an array of shape [B], or a list of such where the state has one more axis. Lists keep
compiled programs small: a rule that changes one timer touches no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envwright.core.arrays import Array


class Box:
    """Named arrays."""

    def __init__(self, **arrays: Any) -> None:
        self.__dict__.update(arrays)


class Side(Box):
    """A player: the active Pokemon, and what lies on its side. See `State` for the meanings."""

    species: Array
    uid: Array
    level: Array
    gender: Array
    growth: list[Array]
    nature: Array
    stats: list[Array]
    maxhp: Array
    hp: Array
    moves: list[Array]
    pp: list[Array]
    base_ability: Array
    item: Array
    last_item: Array
    status: Array
    status_turns: Array
    tera: Array
    stellar: Array
    marks: Array
    times_hit: Array
    ability: Array
    types: list[Array]
    boosts: Array
    timers: list[Array]
    flags: Array
    since: Array
    turn_flags: Array
    speed: Array
    last_move: Array
    move_result: Array
    last_result: Array
    active_turns: Array
    move_actions: Array
    sub_hp: Array
    hurt: Array
    last_damage: Array
    stall_counter: Array
    protect_move: Array
    choice_move: Array
    encore_move: Array
    disable_move: Array
    locked_move: Array
    locked_left: Array
    charge_move: Array
    paradox_stat: Array
    switch_flag: Array
    disabled: Array
    left: Array
    fallen: Array
    fell_this_turn: Array
    fell_last_turn: Array
    tera_used: Array
    conditions: list[Array]
    hazard_order: list[Array]
    wish_hp: Array
    future_move: Array
    future_uid: Array
    chosen_move: Array
    chosen_priority: Array
    chosen_fraction: Array
    chosen_slot: Array
    request: Array
    ab: Array  # the ability as it works now, 0 where suppressed
    fainting: Array  # place in the queue of those about to faint, 0 not in it
    felled_by_move: Array
    bench_alive: Array  # how many of the bench could come in
    bench_fainted: Array
    bench_asleep: Array  # one of the bench was put to sleep by the other side


class Bench(Box):
    """Both benches: by side, then by slot."""

    species: list[list[Array]]
    uid: list[list[Array]]
    level: list[list[Array]]
    gender: list[list[Array]]
    growth: list[list[list[Array]]]
    nature: list[list[Array]]
    stats: list[list[list[Array]]]
    maxhp: list[list[Array]]
    hp: list[list[Array]]
    moves: list[list[list[Array]]]
    pp: list[list[list[Array]]]
    base_ability: list[list[Array]]
    item: list[list[Array]]
    last_item: list[list[Array]]
    status: list[list[Array]]
    status_turns: list[list[Array]]
    tera: list[list[Array]]
    stellar: list[list[Array]]
    marks: list[list[Array]]
    times_hit: list[list[Array]]


class Field(Box):
    """What both players share, and the generator."""

    hi: Array
    lo: Array
    flip: Array  # where `Context.me` is the second player
    weather: Array
    weather_turns: Array
    terrain: Array
    terrain_turns: Array
    trick_room: Array
    turn: Array
    mid_turn: Array
    winner: Array
    pending: list[Array]
    second_first: list[Array]


class Move(Box):
    """The move in use. `moves.fresh` names its fields, all of shape [B]; `moves.load` sets them."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Array: ...
        def __setattr__(self, name: str, value: Array) -> None: ...
