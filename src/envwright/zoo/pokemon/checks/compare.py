"""Compare recorded battles of the reference with ours, in a batch, after every decision.

found = differences(NumpyEngine(), traces)    # [] when every field of every battle agrees
print(found[0])                               # fields, both values in words, where
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from envwright.verify.compare import Mismatch
from envwright.verify.traces import compare
from envwright.verify.traces.compare import Difference, Engine, Told
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.record import compared, rows
from envwright.zoo.pokemon.reference.trace import Schema, Trace, columns
from envwright.zoo.pokemon.roster import Roster, encode
from envwright.zoo.pokemon.start import seeds
from envwright.zoo.pokemon.teams import read

WAIT = 13


class Battles(Protocol):
    """Our battles in a batch, on NumPy, JAX or in Rust.

    One whose batches all have one size has `lanes`; one whose state is of another form has
    `rows(state, schema)`, which writes it as the reference's is recorded.
    """

    def begin(self, generators: np.ndarray, first: Roster, second: Roster) -> Any:
        """Start B battles up to their first request; generators uint32[2, B]."""
        ...

    def step(self, state: Any, actions: np.ndarray) -> Any:
        """Play both players' choices, int32[2, B]; a battle that has ended stays as it is."""
        ...

    def masks(self, state: Any) -> np.ndarray:
        """Return a bit for each legal action, int32[2, B]."""
        ...


def differences(
    battles: Battles,
    traces: Sequence[Trace],
    most: int = 1_000_000,
    told: Told = lambda done: None,
) -> list[Difference]:
    """Return where ours parts from recorded battles, one entry a battle at most."""
    return compare.differences(BattleGames(battles), traces, most, told)


class BattleGames(Engine[Trace]):
    """Plays recorded battles on our side."""

    traces: Sequence[Trace]
    ours: np.ndarray  # int16[B, W], the rows of now

    def __init__(self, battles: Battles) -> None:
        self.battles = battles
        self.lanes = getattr(battles, "lanes", 0)
        self.fixed = bool(self.lanes)

    def begin(self, traces: Sequence[Trace]) -> None:
        self.traces = traces
        teams = (encode([read(trace.teams[side]) for trace in traces]) for side in (0, 1))
        self._see(self.battles.begin(seeds([trace.seed for trace in traces]), *teams))

    def step(self, step: int, running: np.ndarray) -> None:
        """Play both players' choices; in battles that are over, both wait."""
        actions = np.full((2, len(self.traces)), WAIT, np.int32)
        for lane, trace in enumerate(self.traces):
            if step < trace.decisions:
                actions[:, lane] = trace.actions[step]
        self._see(self.battles.step(self._state, actions))

    def differing(self, step: int) -> np.ndarray:
        theirs = np.stack([t.rows[min(step, t.decisions)] for t in self.traces])
        return ((self.ours != theirs) & compared(self.traces[0].schema)).any(1)

    def mismatches(self, lane: int, step: int) -> list[Mismatch]:
        """Return the fields that differ, in the order of the record: causes come first."""
        trace = self.traces[lane]
        theirs, ours = trace.rows[step], self.ours[lane]
        found = []
        for name, index in _wrong_fields(trace.schema, theirs, ours):
            start, shape = columns(trace.schema)[name]
            at = start + int(np.ravel_multi_index(index, shape)) if shape else start
            expected, got = (_value(name, int(row[at])) for row in (theirs, ours))
            found.append(Mismatch(f"{name}{_place(name, index)}", expected, got))
        return found

    def action(self, trace: Trace, step: int) -> str:
        return f"decision {step}"

    def _see(self, state: Any) -> None:
        schema = self.traces[0].schema
        self._state = state
        own_rows = getattr(self.battles, "rows", None)
        if own_rows is not None:
            self.ours = own_rows(state, schema)
        else:
            self.ours = rows(state, np.asarray(self.battles.masks(state)), schema)


def _wrong_fields(
    schema: Schema, theirs: np.ndarray, ours: np.ndarray
) -> list[tuple[str, tuple[int, ...]]]:
    wanted = compared(schema)
    result = []
    for name, (start, shape) in columns(schema).items():
        part = slice(start, start + math.prod(shape))
        wrong = np.flatnonzero((theirs[part] != ours[part]) & wanted[part])
        if len(wrong):
            index = np.unravel_index(wrong[0], shape) if shape else ()
            result.append((name, tuple(int(i) for i in index)))
    return result


_KINDS = {
    "species": "species",
    "moves": "moves",
    "item": "items",
    "last_item": "items",
    "ability": "abilities",
    "base_ability": "abilities",
    "status": "statuses",
    "types": "types",
    "terastallized": "types",
    "last_move": "moves",
    "weather": "weathers",
    "terrain": "terrains",
}
_ROWS = {
    "volatiles": "volatiles",
    "conditions": "side_conditions",
    "slot_conditions": "slot_conditions",
}
_COLUMNS = ("present", "duration", "value", "second value")


def _value(name: str, value: int) -> int | str:
    """Describe a value, by name if it has one."""
    if name == "mask":
        return f"{[a for a in range(WAIT + 1) if value >> a & 1]}"
    if name == "rng":
        return value & 0xFFFF  # words are kept as signed numbers
    listed = NAMES.list(_KINDS[name]) if name in _KINDS else ()
    return listed[value] or "none" if 0 <= value < len(listed) else value


def _place(name: str, index: tuple[int, ...]) -> str:
    if name in _ROWS:
        side, row, column = index
        return f"[player {side + 1}, {NAMES.list(_ROWS[name])[row + 1]}, {_COLUMNS[column]}]"
    return f"[{', '.join(map(str, index))}]" if index else ""
