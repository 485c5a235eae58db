"""The state of battles that are about to begin: teams in place, no Pokemon sent out yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon import rng
from envwright.zoo.pokemon.roster import Roster
from envwright.zoo.pokemon.state import LASTING, Cond, Kind, State, Timer
from envwright.zoo.pokemon.tables import load

TEAM = 6
BOTH = 0b11  # bits of `pending`

# dtypes and shapes below the side; see `state.State`
_SIDE = {
    "ability": np.int16, "flags": np.int32, "turn_flags": np.int16, "speed": np.int16,
    "last_move": np.int16, "move_result": np.int8, "last_result": np.int8,
    "active_turns": np.int16, "move_actions": np.int16, "sub_hp": np.int16, "hurt": np.int16,
    "last_damage": np.int16, "stall_counter": np.int16, "protect_move": np.int16,
    "choice_move": np.int16, "encore_move": np.int16, "disable_move": np.int16,
    "locked_move": np.int16, "locked_left": np.int8, "charge_move": np.int16,
    "paradox_stat": np.int8, "switch_flag": np.int8,
    "disabled": np.int8, "left": np.int8, "fallen": np.int8, "fell_this_turn": np.int8,
    "fell_last_turn": np.int8, "tera_used": np.int8, "wish_hp": np.int16,
    "future_move": np.int16, "future_uid": np.int8, "chosen_move": np.int16,
    "chosen_priority": np.int8, "chosen_fraction": np.int8, "chosen_slot": np.int8,
    "request": np.int8,
}  # fmt: skip
_SIDE_ROWS = {"types": 3, "boosts": 7, "timers": len(Timer), "conditions": len(Cond),
              "hazard_order": 4}  # fmt: skip
_FIELD = {"weather": np.int8, "weather_turns": np.int8, "terrain": np.int8,
          "terrain_turns": np.int8, "trick_room": np.int8, "turn": np.int16,
          "mid_turn": np.int8, "winner": np.int8}  # fmt: skip


def seeds(texts: Sequence[str]) -> np.ndarray:
    """Return seeds `"a,b,c,d"` as uint32[2, B]."""
    return np.asarray([rng.words(text) for text in texts], np.uint32).reshape(-1, 2).T.copy()


def fresh(numbers: Array, first: Roster, second: Roster, xp: Any = np) -> State:
    """Make battles with given generators (uint32[2, B]) between two rosters of B teams."""
    lanes = numbers.shape[-1]
    both = Roster(*(xp.stack(pair) for pair in zip(first, second, strict=True)))
    party = _party(both, lanes, xp)
    zeros = {name: xp.zeros((2, lanes), dtype) for name, dtype in _SIDE.items()}
    zeros |= {name: xp.zeros((2, rows, lanes), np.int8) for name, rows in _SIDE_ROWS.items()}
    zeros["since"] = xp.zeros((2, len(LASTING), lanes), np.int16)
    zeros |= {name: xp.zeros(lanes, dtype) for name, dtype in _FIELD.items()}
    pending = np.zeros((len(Kind), lanes), np.int8)
    pending[Kind.START] = BOTH
    zeros["hurt"] = zeros["hurt"] - np.int16(1)
    zeros["left"] = (party["species"] > 0).sum(1).astype(np.int8)
    return State(
        **{**zeros, **party},
        rng=numbers.astype(np.uint32),
        pending=xp.asarray(pending),
        second_first=xp.zeros((len(Kind), lanes), np.int8),
    )


def _party(both: Roster, lanes: int, xp: Any) -> dict[str, Array]:
    shape = (2, TEAM, lanes)
    uid = np.broadcast_to(np.arange(TEAM, dtype=np.int8)[None, :, None], shape)
    return {
        "species": both.species,
        "uid": xp.asarray(uid),
        "level": both.level,
        "gender": both.gender,
        "growth": both.growth,
        "nature": both.nature,
        "stats": both.stats[:, :, 1:],
        "maxhp": both.stats[:, :, 0],
        "hp": both.stats[:, :, 0],
        "moves": both.moves,
        "pp": xp.asarray(load().moves.pp)[both.moves].astype(np.int8),
        "base_ability": both.ability,
        "item": both.item,
        "last_item": xp.zeros(shape, np.int16),
        "status": xp.zeros(shape, np.int8),
        "status_turns": xp.zeros(shape, np.int8),
        "tera": both.tera,
        "stellar": xp.zeros(shape, np.int32),
        "marks": xp.zeros(shape, np.int16),
        "times_hit": xp.zeros(shape, np.int16),
    }
