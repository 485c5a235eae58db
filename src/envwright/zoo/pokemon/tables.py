"""Species, moves, abilities, items, natures and types of generation 9 as arrays.

    tables = load()                        # NumPy, int32 and bool; a pytree, so jax can trace it
    tables.moves.power[NAMES.move("earthquake")]

Row 0 of every table means "none". The columns are made by `reference/extract.py`; what a number
stands for is in `names.py`. All arrays are int32 or bool; fractions are [numerator, denominator]
with 0/0 for none.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import get_type_hints

import numpy as np

from envwright.core.arrays import Array
from envwright.core.pytree import pytree_dataclass

DATA = Path(__file__).parent / "data"


@pytree_dataclass
class Species:
    """One row per species and forme, cosmetic ones too."""

    base_stats: Array  # int32[S, 6]
    types: Array  # int32[S, 2], the second 0 where there is none
    weight_hg: Array  # int32[S], in 100 g
    abilities: Array  # int32[S, 4]: slots 0, 1, hidden, special
    gender: Array  # int32[S], 0 either, 1 M, 2 F, 3 none
    nfe: Array  # bool[S], not fully evolved: Eviolite works
    num: Array  # int32[S], number in the National Dex
    max_hp: Array  # int32[S], 1 for Shedinja, else 0
    base_species: Array  # int32[S], itself for a base forme
    changes_from: Array  # int32[S], the forme it changes from in battle, 0 for none
    battle_only_of: Array  # int32[S], the forme outside of battle, 0 for none
    cosmetic: Array  # bool[S]
    required_item: Array  # int32[S], the first one where several would do
    required_tera: Array  # int32[S], the type it always terastallizes to
    tags: Array  # int32[S], bits of NAMES.species_tags
    keeper: Array  # int32[S], nonzero and equal to `items.kept_by`: the item cannot be taken
    nonstandard: Array  # int32[S], 0 in generation 9, else NAMES.nonstandard


@pytree_dataclass
class Moves:
    """One row per move. Callbacks are not data: `callbacks` says which ones there are."""

    power: Array  # int32[M]
    accuracy: Array  # int32[M], 0: never misses
    type: Array  # int32[M]
    category: Array  # int32[M], 0 physical, 1 special, 2 status
    priority: Array  # int32[M]
    pp: Array  # int32[M], the most it has in battle
    target: Array  # int32[M], NAMES.targets
    crit_ratio: Array  # int32[M], 1 usual
    will_crit: Array  # bool[M]
    flags: Array  # int32[M, 2], bits of NAMES.move_flags, 30 in a word (see names.move_flag)
    callbacks: Array  # int32[M], bits of NAMES.callbacks (bit 0 is the first)
    has_condition: Array  # bool[M], it brings its own condition
    hits: Array  # int32[M, 2], least and most
    multiaccuracy: Array  # bool[M], each hit rolls for accuracy
    drain: Array  # int32[M, 2], share of the damage that heals
    recoil: Array  # int32[M, 2], share of the damage that hurts
    heal: Array  # int32[M, 2], share of the target's maximum HP
    fixed_damage: Array  # int32[M], -1: the user's level
    ohko: Array  # int32[M], 1 one hit KO, 2 that of ice
    self_destruct: Array  # int32[M], 1 always, 2 if it hit
    self_switch: Array  # int32[M], 1 plain, 2 passes volatiles, 3 passes the substitute
    force_switch: Array  # bool[M]
    breaks_protect: Array  # bool[M]
    thaws_target: Array  # bool[M]
    crash: Array  # bool[M]
    mind_blown: Array  # bool[M], costs half of the user's HP
    struggle_recoil: Array  # bool[M]
    steals_boosts: Array  # bool[M]
    smart_target: Array  # bool[M]
    tracks_target: Array  # bool[M]
    sleep_usable: Array  # bool[M]
    stalling: Array  # bool[M], its success counts as stalling
    calls_move: Array  # bool[M]
    ignore_ability: Array  # bool[M]
    ignore_defensive: Array  # bool[M], the target's boosts
    ignore_evasion: Array  # bool[M]
    ignore_immunity: Array  # int32[M], bit t: of its own type t; all bits: of every type
    offensive_stat: Array  # int32[M], replaces the attacking stat, 0 for none
    offensive_target: Array  # bool[M], the attacking stat is the target's
    defensive_stat: Array  # int32[M], replaces the defending stat, 0 for none
    sheer_force: Array  # bool[M], Sheer Force helps though there is no secondary effect
    non_ghost_self: Array  # bool[M], aims at its user unless that is a ghost (Curse)
    no_pp_boosts: Array  # bool[M]
    is_z: Array  # bool[M]
    is_max: Array  # bool[M]
    nonstandard: Array  # int32[M], as for species
    # what it does to its target
    boosts: Array  # int32[M, 7]
    has_boosts: Array  # bool[M]
    status: Array  # int32[M], NAMES.statuses
    volatile: Array  # int32[M], NAMES.volatiles
    callback: Array  # bool[M], has a callback on hit
    side_condition: Array  # int32[M], NAMES.side_conditions
    pseudo_weather: Array  # int32[M], NAMES.pseudo_weathers
    slot_condition: Array  # int32[M], NAMES.slot_conditions
    weather: Array  # int32[M], NAMES.weathers
    terrain: Array  # int32[M], NAMES.terrains
    # what it does to its user: `self_boost_after` once after all hits, `self_*` per hit
    self_boost_after: Array  # int32[M, 7]
    has_self_boost_after: Array  # bool[M]
    has_self: Array  # bool[M]
    self_chance: Array  # int32[M], percent; 0: always, though a number is drawn for boosts
    self_boosts: Array  # int32[M, 7]
    self_has_boosts: Array  # bool[M]
    self_status: Array  # int32[M]
    self_volatile: Array  # int32[M]
    self_callback: Array  # bool[M]
    self_side_condition: Array  # int32[M]
    self_pseudo_weather: Array  # int32[M]
    # secondary effects, `secondaries` of three rows used
    secondaries: Array  # int32[M]
    secondary_chance: Array  # int32[M, 3], percent; 0: always, though a number is drawn
    secondary_boosts: Array  # int32[M, 3, 7]
    secondary_has_boosts: Array  # bool[M, 3]
    secondary_status: Array  # int32[M, 3]
    secondary_volatile: Array  # int32[M, 3]
    secondary_callback: Array  # bool[M, 3]
    secondary_self_boosts: Array  # int32[M, 3, 7]
    secondary_self_has_boosts: Array  # bool[M, 3]
    secondary_self_status: Array  # int32[M, 3]
    secondary_self_volatile: Array  # int32[M, 3]
    secondary_self_callback: Array  # bool[M, 3]


@pytree_dataclass
class Abilities:
    """One row per ability."""

    flags: Array  # int32[A], bits of NAMES.ability_flags
    suppress_weather: Array  # bool[A]
    has_callback: Array  # bool[A], it has rules of its own
    nonstandard: Array  # int32[A]


@pytree_dataclass
class Items:
    """One row per item."""

    is_berry: Array  # bool[I]
    is_gem: Array  # bool[I]
    is_choice: Array  # bool[I]
    ignore_klutz: Array  # bool[I]
    fling_power: Array  # int32[I], 0: cannot be flung
    fling_status: Array  # int32[I]
    fling_volatile: Array  # int32[I]
    fling_callback: Array  # bool[I]
    gift_power: Array  # int32[I], of Natural Gift
    gift_type: Array  # int32[I]
    plate_type: Array  # int32[I], of plates, memories and drives
    is_plate: Array  # bool[I]
    forced_forme: Array  # int32[I], the species its holder becomes
    boosts: Array  # int32[I, 7], what it gives when used
    has_boosts: Array  # bool[I]
    has_callback: Array  # bool[I], it has rules of its own
    user: Array  # int32[I], the (first) species it was made for
    kept_by: Array  # int32[I], see `species.keeper`; -1: nobody loses it
    nonstandard: Array  # int32[I]


@pytree_dataclass
class Natures:
    """Which stat a nature raises and lowers by a tenth; 0: none."""

    plus: Array  # int32[N]
    minus: Array  # int32[N]


@pytree_dataclass
class Types:
    """The type chart; row and column 0 is the typeless "???"."""

    exponent: Array  # int32[attack, target], +1 doubles, -1 halves
    immune: Array  # bool[attack, target]
    immunities: Array  # int32[target], bits of NAMES.type_immunities


@pytree_dataclass
class Volatiles:
    """The data of volatile conditions."""

    duration: Array  # int32[V], 0: none
    no_copy: Array  # bool[V]
    counter_max: Array  # int32[V]
    residual_order: Array  # int32[V], 0: none
    residual_sub_order: Array  # int32[V]


@pytree_dataclass
class Tables:
    """Everything the rules look up."""

    species: Species
    moves: Moves
    abilities: Abilities
    items: Items
    natures: Natures
    types: Types
    volatiles: Volatiles


@cache
def load() -> Tables:
    """Load the committed tables as read-only NumPy arrays."""
    with np.load(DATA / "tables.npz") as stored:
        tables = {
            name: cls(**{f.name: _wide(stored[f"{name}.{f.name}"]) for f in fields(cls)})
            for name, cls in get_type_hints(Tables).items()
        }
    return Tables(**tables)


def _wide(column: np.ndarray) -> np.ndarray:
    wide = column if column.dtype == bool else column.astype(np.int32)
    wide.flags.writeable = False
    return wide
