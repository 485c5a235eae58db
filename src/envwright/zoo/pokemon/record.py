"""Convert a batch of our battles to the form in which the reference's are recorded.

    row = rows(state, masks, schema)      # int16[B, W], comparable with `Trace.rows[t]`

What the reference keeps of a volatile condition is [present, duration, value, value]; here that is
put together from `timers`, `flags` and the fields beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from functools import partial

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.state import Cond, Flag, Mon, State, Timer
from envwright.zoo.pokemon.tables import load

Schema = dict[str, tuple[int, ...]]

# Fields of a record that our state does not have, and why nothing is lost.
LEFT_OUT = {
    "trapped": "shown by the mask",
    "disabled": "shown by the mask; stale between the reference's requests",
}

# Timers that are the condition's duration, with nothing else to it.
_PLAIN_TIMERS = (
    Timer.FLINCH, Timer.RECHARGE, Timer.ENDURE, Timer.TAUNT, Timer.THROAT_CHOP, Timer.HEAL_BLOCK,
    Timer.YAWN, Timer.ROOST, Timer.MAGNET_RISE, Timer.BEAK_BLAST, Timer.SYRUP, Timer.PERISH,
)  # fmt: skip
_PLAIN_FLAGS = (
    Flag.LEECH_SEED, Flag.CURSE, Flag.SALT_CURE, Flag.TRAPPED, Flag.NO_RETREAT, Flag.FLASH_FIRE,
    Flag.UNBURDEN, Flag.DESTINY_BOND, Flag.FOCUS_ENERGY, Flag.CHARGE, Flag.MINIMIZE,
    Flag.SMACKED_DOWN, Flag.INGRAIN, Flag.AQUA_RING, Flag.TRUANT, Flag.GASTRO_ACID, Flag.TAR_SHOT,
    Flag.ATTRACT, Flag.TORMENT, Flag.POWDER, Flag.DRAGON_CHEER,
)  # fmt: skip
_TIMED = (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.AURORA_VEIL, Cond.TAILWIND, Cond.SAFEGUARD,
          Cond.MIST)  # fmt: skip
_HAZARDS = (Cond.SPIKES, Cond.TOXIC_SPIKES, Cond.STEALTH_ROCK, Cond.STICKY_WEB)
_RENAMED = {"RECHARGE": "mustrecharge", "SYRUP": "syrupbomb", "PERISH": "perishsong",
            "SMACKED_DOWN": "smackdown", "REVIVAL": "revivalblessing"}  # fmt: skip


def _id(condition: IntEnum) -> str:
    """Return the simulator's id of a condition."""
    return _RENAMED.get(condition.name) or condition.name.replace("_", "").lower()


def rows(state: State, masks: np.ndarray, schema: Schema) -> np.ndarray:
    """Return the state as a record, int16[B, W]; `masks` int32[2, B] has a bit per legal action."""
    s = State(*(np.asarray(field) for field in state))
    read = lambda name: masks if name == "mask" else _FIELDS[name](s)  # noqa: E731
    return written(schema, s.turn.shape[-1], read)


def written(schema: Schema, lanes: int, read: Callable[[str], Array]) -> np.ndarray:
    """Return the fields of a record, int16[B, W], as `read` returns them; omitted ones are zero."""
    parts = []
    for name, shape in schema.items():
        if name in LEFT_OUT:
            part = np.zeros((lanes, math.prod(shape)), np.int64)
        else:
            part = np.moveaxis(np.asarray(read(name), np.int64), -1, 0).reshape(lanes, -1)
        parts.append(part)
    return np.concatenate(parts, axis=1).astype(np.int16)


def compared(schema: Schema) -> np.ndarray:
    """Return which columns of a row are compared, bool[W]."""
    kept = [np.full(math.prod(shape), name not in LEFT_OUT) for name, shape in schema.items()]
    return np.concatenate(kept)


def _rng(s: State) -> np.ndarray:
    hi, lo = s.rng.astype(np.int64)
    return np.stack([hi >> 16, hi & 0xFFFF, lo >> 16, lo & 0xFFFF])


def _where(
    there: Callable[[State], Array], read: Callable[[State], Array]
) -> Callable[[State], Array]:
    """Return a field, zero where its Pokemon is not `there`."""

    def field(s: State) -> np.ndarray:
        values, kept = read(s), there(s)
        middle = (1,) * (values.ndim - kept.ndim)
        return np.where(kept.reshape(*kept.shape[:-1], *middle, kept.shape[-1]), values, 0)

    return field


_active = partial(_where, lambda s: s.hp[:, 0] > 0)  # of the active Pokemon, unless it has fainted
_party = partial(_where, lambda s: s.species > 0)  # of the party, at places with a Pokemon


def _terastallized(s: State) -> np.ndarray:
    return np.where((s.marks >> Mon.TERA) & 1, s.tera, 0)


def _bits(words: Array) -> Array:
    return np.asarray(sum((words >> bit) & 1 for bit in range(31)))


def _volatiles(s: State) -> np.ndarray:
    """Return the volatile conditions of the active Pokemon, int[2, V, 4, B]."""
    lanes = s.turn.shape[-1]
    table = np.zeros((2, len(NAMES.volatiles) - 1, 4, lanes), np.int64)

    def put(name: str, present: Array, *values: Array) -> None:
        row = NAMES.volatile(name) - 1
        for column, value in enumerate((present, *values)):
            table[:, row, column] = np.where(present, value, table[:, row, column])

    timer = {one: s.timers[:, one].astype(np.int64) for one in Timer}
    flag = {one: ((s.flags >> one) & 1).astype(bool) for one in Flag}
    none = np.zeros((2, lanes), np.int64)
    for one in _PLAIN_TIMERS:
        put(_id(one), timer[one] > 0, timer[one])
    for one in _PLAIN_FLAGS:
        put(_id(one), flag[one])
    put("trapper", flag[Flag.TRAPPED][::-1])
    put("confusion", timer[Timer.CONFUSION] > 0, none, timer[Timer.CONFUSION])
    put("partiallytrapped", timer[Timer.BOUND] > 0, timer[Timer.BOUND], none + 8)
    locked = timer[Timer.LOCKED]
    put("lockedmove", locked > 0, locked, s.locked_left, s.locked_move)
    put("stall", timer[Timer.STALL] > 0, timer[Timer.STALL], s.stall_counter)
    put("encore", timer[Timer.ENCORE] > 0, timer[Timer.ENCORE], s.encore_move)
    put("disable", timer[Timer.DISABLE] > 0, timer[Timer.DISABLE], s.disable_move)
    put("choicelock", flag[Flag.CHOICE_LOCK], none, s.choice_move)
    put("substitute", s.sub_hp > 0, none, s.sub_hp)
    put("glaiverush", timer[Timer.GLAIVE_RUSH] > 0)
    focus = timer[Timer.FOCUS_PUNCH]
    put("focuspunch", focus > 0, np.ones_like(focus), focus - 1)
    booster = flag[Flag.FROM_BOOSTER]
    for name, one in (("protosynthesis", Flag.PROTOSYNTHESIS), ("quarkdrive", Flag.QUARK_DRIVE)):
        put(name, flag[one], none, s.paradox_stat + 1, booster)
    _put_of_a_move(put, timer[Timer.CHARGING], s.charge_move, "twoturnmove")
    _put_of_a_move(put, timer[Timer.PROTECT], s.protect_move, "")
    return table


def _put_of_a_move(put: Callable, timer: Array, move: Array, shared: str) -> None:
    """Add conditions that are named after their move."""
    if shared:
        put(shared, timer > 0, timer, np.abs(move))
    for number in np.unique(move[(timer > 0) & (move > 0)]):
        name = NAMES.moves[number]
        own = NAMES.volatiles[load().moves.volatile[number]] or name
        duration = load().volatiles.duration[NAMES.volatile(own)]
        put(own, (timer > 0) & (move == number), timer if duration else np.zeros_like(timer))


def _conditions(s: State) -> np.ndarray:
    listed = NAMES.list("side_conditions")[1:]
    table = np.zeros((2, len(listed), 2, s.turn.shape[-1]), np.int64)
    for cond in _TIMED:
        turns = s.conditions[:, cond]
        table[:, listed.index(_id(cond))] = np.stack([turns > 0, turns], 1)
    for cond in _HAZARDS:
        table[:, listed.index(_id(cond)), 0] = s.conditions[:, cond]
    return table


def _slot_conditions(s: State) -> np.ndarray:
    listed = NAMES.list("slot_conditions")[1:]
    table = np.zeros((2, len(listed), 3, s.turn.shape[-1]), np.int64)
    for one in (Cond.HEALING_WISH, Cond.LUNAR_DANCE, Cond.REVIVAL):
        table[:, listed.index(_id(one)), 0] = s.conditions[:, one] > 0
    wish, future = s.conditions[:, Cond.WISH], s.conditions[:, Cond.FUTURE]
    table[:, listed.index("wish")] = np.stack([wish > 0, wish, np.where(wish > 0, s.wish_hp, 0)], 1)
    table[:, listed.index("futuremove")] = np.stack(
        [future > 0, future, np.where(future > 0, s.future_move, 0)], 1
    )
    return table


def _pseudo_weathers(s: State) -> np.ndarray:
    listed = NAMES.list("pseudo_weathers")[1:]
    table = np.zeros((len(listed), s.turn.shape[-1]), np.int64)
    table[listed.index("trickroom")] = s.trick_room
    return table


def _ability_count(s: State) -> np.ndarray:
    supreme = s.timers[:, Timer.SUPREME].astype(np.int64)
    return np.where(supreme > 0, supreme - 1, s.timers[:, Timer.SLOW_START])


_FIELDS: dict[str, Callable[[State], Array]] = {
    "rng": _rng,
    "turn": lambda s: s.turn,
    "request": lambda s: s.request,
    "uid": _party(lambda s: s.uid),
    "species": lambda s: s.species,
    "level": _party(lambda s: s.level),
    "gender": _party(lambda s: s.gender),
    "hp": lambda s: s.hp,
    "maxhp": _party(lambda s: s.maxhp),
    "fainted": _party(lambda s: (s.marks >> Mon.FAINTED) & 1),
    "status": lambda s: s.status,
    "status_turns": lambda s: s.status_turns,
    "moves": lambda s: s.moves,
    "pp": lambda s: s.pp,
    "item": lambda s: s.item,
    "last_item": lambda s: s.last_item,
    "base_ability": lambda s: s.base_ability,
    "stats": _party(lambda s: s.stats),
    "terastallized": _terastallized,
    "times_hit": lambda s: s.times_hit,
    "stellar": lambda s: _bits(s.stellar),
    "ability": _active(lambda s: s.ability),
    "types": _active(lambda s: s.types),
    "boosts": _active(lambda s: s.boosts),
    "volatiles": _active(_volatiles),
    "ability_count": _active(_ability_count),
    "last_move": _active(lambda s: s.last_move),
    "active_turns": _active(lambda s: s.active_turns),
    "move_actions": _active(lambda s: s.move_actions),
    "speed": _active(lambda s: s.speed),
    "conditions": _conditions,
    "slot_conditions": _slot_conditions,
    "left": lambda s: s.left,
    "fallen": lambda s: s.fallen,
    "fell_last_turn": lambda s: s.fell_last_turn,
    "weather": lambda s: s.weather,
    "weather_turns": lambda s: s.weather_turns,
    "terrain": lambda s: s.terrain,
    "terrain_turns": lambda s: s.terrain_turns,
    "pseudo_weathers": _pseudo_weathers,
    "winner": lambda s: s.winner,
}
