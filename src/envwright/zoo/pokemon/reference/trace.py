"""Recorded games of the reference: actions, and everything compared after each decision.

    game = record(showdown, Spec(seed=7, teams=(first, second), policy=3))
    game["hp"]                       # int16[decisions + 1, 2, 6]
    save(path, [game, ...]); load(path)

Files are small: rows change little from decision to decision, so differences are stored.
"""

from __future__ import annotations

import base64
import io
import json
import lzma
import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.reference.showdown import Showdown, seed_words

Schema = dict[str, tuple[int, ...]]
VERSION = 1


@dataclass(frozen=True)
class Spec:
    """A game to play: with given actions, or those of a seeded policy."""

    seed: int | str
    teams: tuple[str, str]  # packed
    policy: int = 0
    attack: int = 70
    most: int = 0
    actions: Sequence[Sequence[int]] | None = None

    def request(self) -> dict[str, Any]:
        """Return the bridge's request for this game."""
        common = {"seed": seed_words(self.seed), "teams": list(self.teams), "records": True}
        if self.actions is not None:
            return {"op": "replay", "actions": [list(pair) for pair in self.actions], **common}
        rest = {"policy": self.policy, "attack": self.attack, "most": self.most}
        return {"op": "play", **rest, **common}


@dataclass(frozen=True)
class Trace:
    """A game of the reference."""

    seed: str
    teams: tuple[str, str]
    actions: np.ndarray  # int8[T, 2]
    rows: np.ndarray  # int16[T + 1, W], before the first decision and after each
    schema: Schema

    def __getitem__(self, field: str) -> np.ndarray:
        """Return a field over time, int16[T + 1, *shape]."""
        start, shape = columns(self.schema)[field]
        part = self.rows[:, start : start + math.prod(shape)]
        return part.reshape(len(self.rows), *shape)

    @property
    def decisions(self) -> int:
        """The number of decisions."""
        return len(self.actions)

    length = decisions  # under the name of trace comparisons

    @property
    def about(self) -> str:
        """Its name in reports."""
        return f"the battle with seed {self.seed}"


def columns(schema: Schema) -> dict[str, tuple[int, tuple[int, ...]]]:
    """The start of each field in a row, and its shape."""
    result, at = {}, 0
    for name, shape in schema.items():
        result[name] = (at, shape)
        at += math.prod(shape)
    return result


def width(schema: Schema) -> int:
    """The number of numbers in a row."""
    return sum(math.prod(shape) for shape in schema.values())


def record(showdown: Showdown, spec: Spec) -> Trace:
    """Record one game of the reference."""
    return _trace(showdown, spec, showdown.ask(**spec.request()))


def record_all(showdown: Showdown, specs: Iterable[Spec], chunk: int = 16) -> Iterable[Trace]:
    """Record many games; a chunk is under way while the last one is parsed."""
    listed = list(specs)
    _ = showdown.schema  # ask before the pipeline is full
    parts = [listed[i : i + chunk] for i in range(0, len(listed), chunk)]
    for index, part in enumerate(parts):
        if index == 0:
            _send(showdown, part)
        answers = showdown.receive()["answers"]
        if index + 1 < len(parts):
            _send(showdown, parts[index + 1])
        for spec, answer in zip(part, answers, strict=True):
            yield _trace(showdown, spec, answer)


def _send(showdown: Showdown, part: list[Spec]) -> None:
    showdown.send(op="many", requests=[spec.request() for spec in part])


def _trace(showdown: Showdown, spec: Spec, answer: dict[str, Any]) -> Trace:
    if "error" in answer:
        raise EnvwrightError(f"Showdown refuses (seed {spec.seed}): {answer['error']}")
    raw = zlib.decompress(base64.b64decode(answer["records"]))
    rows = np.frombuffer(raw, "<i2").reshape(-1, width(showdown.schema))
    actions = np.asarray(answer["actions"], np.int8).reshape(-1, 2)
    first, second = spec.teams
    return Trace(seed_words(spec.seed), (first, second), actions, rows, showdown.schema)


def save(path: Path, traces: Sequence[Trace]) -> None:
    """Write games into one compressed file."""
    if not traces:
        raise EnvwrightError("there is no game to save")
    games = [{"seed": t.seed, "teams": t.teams, "decisions": t.decisions} for t in traces]
    head = {"version": VERSION, "schema": traces[0].schema, "games": games}
    body = io.BytesIO()
    np.savez(
        body,
        head=np.frombuffer(json.dumps(head).encode(), np.uint8),
        actions=np.concatenate([t.actions for t in traces]),
        # by column: values that stay equal over time are then adjacent
        changes=np.concatenate([_differences(t.rows) for t in traces]).T.copy(),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(body.getvalue(), preset=6))


def load(path: Path) -> list[Trace]:
    """Read the games of a file."""
    try:
        with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as stored:
            head = json.loads(stored["head"].tobytes())
            actions, changes = stored["actions"], stored["changes"].T
    except (OSError, lzma.LZMAError, ValueError, KeyError) as error:
        raise EnvwrightError(
            f"{path} holds no recorded battles ({error}); record it anew"
        ) from error
    if head["version"] != VERSION:
        raise EnvwrightError(f"{path} was recorded as version {head['version']}; record it anew")
    schema = {name: tuple(shape) for name, shape in head["schema"].items()}
    traces, played, row = [], 0, 0
    for game in head["games"]:
        count = game["decisions"]
        rows = np.cumsum(changes[row : row + count + 1], axis=0, dtype=np.int16)
        pairs = actions[played : played + count]
        traces.append(Trace(game["seed"], tuple(game["teams"]), pairs, rows, schema))
        played, row = played + count, row + count + 1
    return traces


def _differences(rows: np.ndarray) -> np.ndarray:
    return np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))
