"""Recorded games of the reference against our engine: all of a batch at once, after each decision.

    found = differences(engine, traces)      # [] when every field of every game agrees
    print(found[0])                          # field, both values in words, where

An engine is anything that begins battles, steps them and tells what is legal; see `Engine`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.record import compared, rows
from envwright.zoo.pokemon.reference.trace import Schema, Trace, columns
from envwright.zoo.pokemon.roster import Roster, encode
from envwright.zoo.pokemon.start import seeds
from envwright.zoo.pokemon.state import State
from envwright.zoo.pokemon.teams import read

WAIT = 13
FORMAT = 1


class Engine(Protocol):
    """Battles in a batch, on NumPy or JAX."""

    def begin(self, generators: np.ndarray, first: Roster, second: Roster) -> State:
        """B battles up to their first request; generators uint32[2, B]."""

    def step(self, state: State, actions: np.ndarray) -> State:
        """Both players' choices, int32[2, B]; a battle that has ended stays as it is."""

    def masks(self, state: State) -> np.ndarray:
        """int32[2, B], a bit for each legal action."""


@dataclass(frozen=True)
class Difference:
    """The first field, in the order of comparison, that a game has otherwise than the reference."""

    game: int
    decision: int  # 0: at the first request; n: after the n-th pair of choices
    field: str
    index: tuple[int, ...]
    reference: int
    ours: int
    others: tuple[str, ...] = ()  # further fields that differ at once
    seed: str = ""
    teams: tuple[str, str] = ("", "")
    actions: list[list[int]] = field(default_factory=list)  # up to and with this decision

    def __str__(self) -> str:
        also = f"; also {', '.join(self.others)}" if self.others else ""
        where = "at the start" if not self.decision else f"after decision {self.decision}"
        return (
            f"game {self.game}, {where}: {self.field}{_place(self.field, self.index)} is "
            f"{_word(self.field, self.reference)} in Showdown and {_word(self.field, self.ours)} "
            f"here{also}"
        )

    @property
    def place(self) -> str:
        """The field with its index in words."""
        return f"{self.field}{_place(self.field, self.index)}"

    def save(self, path: Path) -> Path:
        """Write a file that `load_difference` and `again` replay."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n")
        return path


def load_difference(path: Path) -> Difference:
    """Read what `Difference.save` wrote."""
    try:
        data = json.loads(path.read_text())
        if data.pop("format") != FORMAT:
            raise EnvwrightError(f"{path} was written by another version of envwright")
        tuples = {name: tuple(data[name]) for name in ("index", "others", "teams")}
        return Difference(**{**data, **tuples})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvwrightError(f"{path} holds no difference between battles ({error})") from error


def differences(
    engine: Engine, traces: Sequence[Trace], most: int = 20, progress: Any = None
) -> list[Difference]:
    """Play all games and compare every one up to its end or its first difference.

    They are one batch, or as many as it takes for an engine of a fixed number of lanes.
    """
    found: list[Difference] = []
    width = getattr(engine, "lanes", 0) or len(traces)
    for first in range(0, len(traces), width):
        batch = traces[first : first + width]
        found += [
            replace(one, game=one.game + first)
            for one in _of_a_batch(engine, batch, width, most - len(found), progress)
        ]
        if len(found) >= most:
            break
    return sorted(found, key=lambda one: (one.decision, one.game))


def _of_a_batch(
    engine: Engine, traces: Sequence[Trace], width: int, most: int, progress: Any
) -> list[Difference]:
    found: list[Difference] = []
    open_games = np.ones(len(traces), bool)
    wanted = compared(traces[0].schema)
    idle = [traces[0]] * (width - len(traces))  # lanes that nobody looks at
    for decision, played in enumerate(play(engine, [*traces, *idle])):
        ours = played[: len(traces)]
        running = open_games & (decision <= np.array([t.decisions for t in traces]))
        if not running.any():
            break
        theirs = np.stack([t.rows[min(decision, t.decisions)] for t in traces])
        wrong = (ours != theirs) & wanted & running[:, None]
        for game in np.flatnonzero(wrong.any(1)):
            found.append(_difference(traces[game], game, decision, theirs[game], ours[game]))
            open_games[game] = False
        if len(found) >= most:
            break
        if progress:
            progress(decision, int(running.sum()))
    return found


def play(engine: Engine, traces: Sequence[Trace]) -> Iterator[np.ndarray]:
    """Our rows int16[B, W] at the start and after each decision of the longest game."""
    schema = traces[0].schema
    first = encode([read(t.teams[0]) for t in traces])
    second = encode([read(t.teams[1]) for t in traces])
    state = engine.begin(seeds([t.seed for t in traces]), first, second)
    yield _rows(engine, state, schema)
    for decision in range(max(t.decisions for t in traces)):
        actions = np.full((2, len(traces)), WAIT, np.int32)
        for game, trace in enumerate(traces):
            if decision < trace.decisions:
                actions[:, game] = trace.actions[decision]
        state = engine.step(state, actions)
        yield _rows(engine, state, schema)


def _rows(engine: Engine, state: Any, schema: Schema) -> np.ndarray:
    """An engine whose state is of another form writes its own rows."""
    if hasattr(engine, "rows"):
        return engine.rows(state, schema)
    return rows(state, np.asarray(engine.masks(state)), schema)


def _difference(
    trace: Trace, game: int, decision: int, theirs: np.ndarray, ours: np.ndarray
) -> Difference:
    wrong = _wrong_fields(trace.schema, theirs, ours)
    name, index = wrong[0]
    start, shape = columns(trace.schema)[name]
    at = start + int(np.ravel_multi_index(index, shape)) if shape else start
    return Difference(
        game=int(game),
        decision=decision,
        field=name,
        index=index,
        reference=int(theirs[at]),
        ours=int(ours[at]),
        others=tuple(f"{n}{_place(n, i)}" for n, i in wrong[1:6]),
        seed=trace.seed,
        teams=trace.teams,
        actions=trace.actions[:decision].tolist(),
    )


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


def _word(name: str, value: int) -> str:
    if name == "mask":
        return f"{[a for a in range(WAIT + 1) if value >> a & 1]}"
    if name == "rng":
        return str(value & 0xFFFF)
    listed = NAMES.list(_KINDS[name]) if name in _KINDS else ()
    return f"{listed[value] or 'none'}" if 0 <= value < len(listed) else str(value)


def _place(name: str, index: tuple[int, ...]) -> str:
    if name in _ROWS:
        side, row, column = index
        return f"[player {side + 1}, {NAMES.list(_ROWS[name])[row + 1]}, {_COLUMNS[column]}]"
    return f"[{', '.join(map(str, index))}]" if index else ""
