"""Battles in Rust: N of them in one call, on all cores, written into NumPy buffers.

    battles = NativeBattles(4096, threads=2)
    battles.draw(load_pool(), seed=7)               # teams of the pool against each other
    masks = battles.masks()                         # bool[N, 2, 14]
    masks, rewards, ended = battles.step(actions)   # int32[N, 2]; 13 waits

An independent implementation: it shares the numbering of the tables with the JAX engine, and
nothing else. `NativeEngine` plays behind the interface of comparisons.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from envwright._native import PokemonBattles
from envwright.core.native import available_cores
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.record import Schema, written
from envwright.zoo.pokemon.roster import Roster

ACTIONS, TEAM = 14, 6
_SINGLE = ("species", "ability", "item", "moves", "level", "gender", "nature", "tera", "growth")


def supported() -> tuple[str, ...]:
    """Return the supported abilities, items and moves with own rules: `a:intimidate`, ..."""
    return tuple(PokemonBattles.supported())


@cache
def played(kind: str) -> frozenset[str]:
    """Return all names of a kind ("moves", "abilities", "items") that a set may have here."""
    return frozenset(PokemonBattles.played(kind))


def sets(roster: Roster) -> np.ndarray:
    """Return the teams of a roster as Rust takes them, int16[T, 6, 17]."""
    teams = roster.species.shape[-1]
    parts = [np.asarray(getattr(roster, name), np.int16).reshape(TEAM, -1, teams)
             for name in _SINGLE]  # fmt: skip
    return np.ascontiguousarray(np.moveaxis(np.concatenate(parts, axis=1), -1, 0))


class NativeBattles:
    """N battles. Illegal choices are rejected with a sentence before anything is played."""

    def __init__(self, num_envs: int = 1, threads: int | None = None) -> None:
        cores = available_cores() if threads is None else threads
        self.native = _refused(PokemonBattles, num_envs, cores)
        self.num_envs, self.threads = num_envs, cores
        self._masks = np.zeros((num_envs, 2, ACTIONS), bool)
        self._rewards = np.zeros((num_envs, 2), np.float32)
        self._ended = np.zeros(num_envs, bool)
        self._again = False

    def begin(
        self, generators: np.ndarray, first: Roster, second: Roster, unsupported: bool = False
    ) -> None:
        """Begin battles of given generators (uint32[2, N]) between two rosters of N teams.

        Unsupported effects are rejected; with `unsupported` they are accepted, and do nothing.
        """
        high, low = np.asarray(generators, np.uint32)
        words = np.stack([high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF], axis=1)
        both = np.ascontiguousarray(np.stack([sets(first), sets(second)], axis=1))
        _refused(self.native.reset, words.astype(np.uint16), both, unsupported=unsupported)
        self._again = False

    def draw(self, pool: Roster, seed: int = 0) -> None:
        """Begin battles between teams of a pool, and go on with others whenever one ends."""
        self.bring(pool, seed)
        self.restart()

    def bring(self, teams: Roster, seed: int = 0, fixed: bool = False) -> None:
        """Set teams to draw from; or, if `fixed`, the first always against the second."""
        _refused(self.native.load_teams, sets(teams), seed, fixed)

    def restart(self, seeds: np.ndarray | None = None) -> None:
        """Begin all battles anew with these teams; uint64[N] seeds of the draws."""
        _refused(self.native.restart, seeds)
        self._again = True

    def masks(self) -> np.ndarray:
        """Return the legal actions, bool[N, 2, 14]."""
        self.native.masks(self._masks)
        return self._masks

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play choices int32[N, 2]; return masks, rewards float32[N, 2] and ended bool[N].

        The arrays are the same in every call. Where battles follow each other (`draw`), the masks
        of one that ended are those of the next.
        """
        out = (self._masks, self._rewards, self._ended)
        self.play(actions, out, again=self._again)
        return out

    def play(self, actions: np.ndarray, out: tuple[np.ndarray, ...], **named: Any) -> None:
        """Step into given arrays; `obs` and `final_obs` take views float32[N, players, SIZE]."""
        _refused(self.native.step, np.ascontiguousarray(actions, np.int32), *out, **named)

    def sample(self, seed: int, out: np.ndarray | None = None) -> np.ndarray:
        """Return a legal choice of each player at random, int32[N, 2]."""
        actions = np.zeros((self.num_envs, 2), np.int32) if out is None else out
        self.native.sample(actions, seed)
        return actions

    def state(self) -> dict[str, np.ndarray]:
        """Named fields int32[..., N]; see `state.State` for those of the same name.

        `volatiles`, `conditions` and `slot_conditions` are lists, oldest first: number of the
        condition (of `PokemonBattles.names("conditions")`) and what it counts.
        """
        shapes = PokemonBattles.fields()
        rows = self.native.numbers().reshape(self.num_envs, -1)
        fields, at = {}, 0
        for name, shape in shapes.items():
            width = math.prod(shape)
            part = rows[:, at : at + width].reshape(self.num_envs, *shape)
            fields[name] = np.moveaxis(part, 0, -1)
            at += width
        return fields

    def snapshot(self, **named: Any) -> bytes:
        """Return all battles as bytes with a checksum; `identity` and `note` go with them."""
        return self.native.snapshot(**named)

    def restore(self, snapshot: bytes, **named: Any) -> bytes:
        """Restore what `snapshot` returned, into as many battles; return the note."""
        return _refused(self.native.restore, snapshot, **named)


def _refused(call: Any, *arguments: Any, **named: Any) -> Any:
    try:
        return call(*arguments, **named)
    except (ValueError, RuntimeError) as error:
        raise EnvwrightError(str(error)) from error


class NativeEngine:
    """The Rust battles behind the interface of comparisons; its state is itself."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def begin(self, generators: np.ndarray, first: Roster, second: Roster) -> NativeBattles:
        """Start B battles up to their first request, also with unsupported sets."""
        battles = NativeBattles(np.asarray(generators).shape[-1], self.threads)
        battles.begin(generators, first, second, unsupported=True)
        return battles

    def step(self, state: NativeBattles, actions: np.ndarray) -> NativeBattles:
        """Play both players' choices, int32[2, B].

        An illegal choice ends the game here: the mask that differed has been recorded already.
        """
        legal = state.masks()
        chosen = np.array(actions, np.int32).T.copy()
        allowed = np.take_along_axis(legal, chosen[..., None], -1)[..., 0]
        chosen[~allowed] = legal.argmax(-1)[~allowed]
        state.step(chosen)
        return state

    def masks(self, state: NativeBattles) -> np.ndarray:
        """Return a bit for each legal action, int64[2, B]."""
        weights = 1 << np.arange(ACTIONS, dtype=np.int64)
        return (state.masks() @ weights).T

    def rows(self, state: NativeBattles, schema: Schema) -> np.ndarray:
        """Return the state as the reference's is recorded, int16[B, W]."""
        fields = state.state()
        read = lambda name: _ODD[name](fields) if name in _ODD else fields[name]  # noqa: E731
        return written(schema, state.num_envs, read)


_CONDITIONS = ("", *PokemonBattles.names("conditions"))
# What the record keeps of a volatile besides its duration; elsewhere nothing.
_FIRST = {"substitute", "confusion", "stall", "choicelock", "encore", "disable", "twoturnmove",
          "protosynthesis", "quarkdrive", "mirrorcoat"}  # fmt: skip
_EXTRA_FIRST = {"partiallytrapped", "focuspunch"}
_EXTRA_SECOND = {"protosynthesis", "quarkdrive"}


def _volatiles(f: dict[str, np.ndarray]) -> np.ndarray:
    """Return presence, duration and two values by the tables' number, int[2, V, 4, B]."""

    def read(name: str, entry: np.ndarray, lane: int) -> list[int]:
        _, duration, value, extra = entry
        if name == "lockedmove":
            return [1, duration, extra, value]
        first = value if name in _FIRST else extra if name in _EXTRA_FIRST else 0
        return [1, duration, first, extra if name in _EXTRA_SECOND else 0]

    return _side_table(f["volatiles"], NAMES.volatiles, 4, read)


def _side_table(listed: np.ndarray, names: tuple[str, ...], columns: int, read: Any) -> np.ndarray:
    _, places, _, lanes = listed.shape
    table = np.zeros((2, len(names) - 1, columns, lanes), np.int64)
    for side in range(2):
        for place in range(places):
            for lane in np.flatnonzero(listed[side, place, 0]):
                entry = listed[side, place, :, lane]
                name = _CONDITIONS[entry[0]]
                table[side, names.index(name) - 1, :, lane] = read(name, entry, lane)
    return table


def _conditions(f: dict[str, np.ndarray]) -> np.ndarray:
    names = NAMES.list("side_conditions")
    return _side_table(f["conditions"], names, 2, lambda name, entry, lane: entry[1:])


def _slot_conditions(f: dict[str, np.ndarray]) -> np.ndarray:
    future = NAMES.number("moves", "futuresight")

    def read(name: str, entry: np.ndarray, lane: int) -> list[int]:
        turn, (_, _, data, started) = f["turn"][lane], entry
        if name == "wish":
            return [1, started + 3 - turn, data]
        if name == "futuremove":
            return [1, data + 2 - turn, future]
        return [1, 0, 0]

    return _side_table(f["slot_conditions"], NAMES.list("slot_conditions"), 3, read)


def _numbered(field: str, kind: str) -> Any:
    """Return a condition of the field by the tables' number."""
    numbers = np.asarray([NAMES.list(kind).index(name) if name in NAMES.list(kind) else 0
                          for name in _CONDITIONS])  # fmt: skip
    return lambda f: numbers[f[field]]


def _pseudo_weathers(f: dict[str, np.ndarray]) -> np.ndarray:
    listed = NAMES.list("pseudo_weathers")
    table = np.zeros((len(listed) - 1, f["turn"].shape[-1]), np.int64)
    table[listed.index("trickroom") - 1] = f["trick_room"]
    return table


_ODD = {
    "volatiles": _volatiles,
    "conditions": _conditions,
    "slot_conditions": _slot_conditions,
    "weather": _numbered("weather", "weathers"),
    "terrain": _numbered("terrain", "terrains"),
    "pseudo_weathers": _pseudo_weathers,
}
