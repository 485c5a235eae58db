"""The boxes of a `Context`: named arrays of a batch that rules read and replace.

A field is an array of shape [B], or a list of such where the state has one more axis. Lists keep
compiled programs small: a rule that changes one timer touches no other.
"""

from __future__ import annotations

from typing import Any

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
    """The state that both players share, and the generator."""

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
    """The move in use; `moves.fresh` makes the fields, `moves.load` looks most of them up."""

    # numbers
    id: Array
    hit: Array
    hits: Array
    matchup: Array
    now_power: Array
    fixed: Array
    base_priority: Array
    did: Array
    dealt: Array
    total: Array
    second: Array
    called_by: Array
    last_type: Array
    order: Array
    power: Array
    accuracy: Array
    type: Array
    category: Array
    priority: Array
    target: Array
    crit_ratio: Array
    ohko: Array
    self_destruct: Array
    self_switch: Array
    ignore_immunity: Array
    offensive_stat: Array
    defensive_stat: Array
    status: Array
    volatile: Array
    side_condition: Array
    pseudo_weather: Array
    slot_condition: Array
    weather: Array
    terrain: Array
    self_chance: Array
    self_volatile: Array
    secondaries: Array
    drain_n: Array
    drain_d: Array
    recoil_n: Array
    recoil_d: Array
    heal_n: Array
    heal_d: Array
    # truths
    using: Array
    going: Array
    crit: Array
    sheer: Array
    type_changed: Array
    infiltrates: Array
    multihit: Array
    variable_power: Array
    stellar_boosted: Array
    stellar_blast: Array
    recoils: Array
    prankster: Array
    bounced: Array
    again: Array
    landed: Array
    failed: Array
    result: Array
    locked: Array
    on_foe: Array
    on_field: Array
    hit_sub: Array
    self_dropped: Array
    breaks_abilities: Array
    hitting: Array
    aimed: Array
    broke: Array
    will_crit: Array
    multiaccuracy: Array
    force_switch: Array
    breaks_protect: Array
    thaws_target: Array
    crash: Array
    mind_blown: Array
    struggle_recoil: Array
    steals_boosts: Array
    sleep_usable: Array
    stalling: Array
    ignore_ability: Array
    ignore_defensive: Array
    ignore_evasion: Array
    offensive_target: Array
    sheer_force: Array
    has_boosts: Array
    has_self_boost_after: Array
    has_self: Array
    self_has_boosts: Array
    bite: Array
    bullet: Array
    bypasssub: Array
    charge: Array
    contact: Array
    defrost: Array
    futuremove: Array
    heal: Array
    mustpressure: Array
    powder: Array
    protect: Array
    pulse: Array
    punch: Array
    reflectable: Array
    slicing: Array
    sound: Array
    wind: Array
