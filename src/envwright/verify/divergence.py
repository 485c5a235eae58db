"""A divergence: where two simulators part, the shortest way there, kept in a file."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.records import Fields
from envwright.verify.pair import Found, PairSpec, Program
from envwright.verify.tolerance import Tolerances

FORMAT = 1
UNSTEADY = "the same operations did not show it again: the twin remembers or draws something"

# What has to be done to see it again: play the actions, compare the starts' law or the
# spaces, run the room's golden pairs, play a vector of lanes, play it twice, or ask the room
# itself: `bridge` then names a function from the divergence to what still differs.
Kind = Literal["steps", "law", "spaces", "golden", "vector", "vector-reset", "room"]


@dataclass(frozen=True)
class Divergence:
    """The first step at which two simulators differ.

    `start` is the last state that agreed (None: a reset with `seed`), `actions` the
    shortest list found that still shows the difference, and `step` its index in it.
    `origin` says where it was first seen.
    """

    level: int
    reference: str
    twin: str
    field: str
    reference_value: Any
    twin_value: Any
    tolerance: str
    step: int
    seed: int
    actions: list[Any]
    start: Fields | None
    origin: str
    raised: str = ""
    hint: str = ""
    bridge: str = ""
    tolerances: dict[str, Any] = field(default_factory=dict)
    include_terminal: bool = False
    resync: bool = False
    lane: int | None = None
    kind: Kind = "steps"
    path: str = ""

    def __str__(self) -> str:
        where = f"step {self.step}" if self.step >= 0 else "the reset"
        lane = f", lane {self.lane}" if self.lane is not None else ""
        lines = [f"{self.reference} and {self.twin} part at {where}{lane} (level {self.level})"]
        if self.raised:
            lines.append(f"  the twin raised  {self.raised}")
        else:
            lines += [
                f"  field      {self.field}   (tolerance: {self.tolerance})",
                f"  reference  {_show(self.reference_value)}",
                f"  twin       {_show(self.twin_value)}",
            ]
        if self.hint:
            lines.append(f"  {self.hint}")
        if self.start is None:
            lines.append(f"  start      a reset with seed {self.seed}")
        else:
            fields = (f"{k} = {_show_array(v)}" for k, v in self.start.items())
            lines.append(f"  start      {', '.join(fields)}")
        if self.actions:
            lines.append(f"  actions    {_show_actions(self.actions)}")
        lines.append(f"  seen       {self.origin}")
        if self.path:
            lines.append(f"  replay     envwright replay {self.path}")
        return "\n".join(lines)

    def program(self) -> Program:
        """What to run on both sides to see it again."""
        return Program(self.actions, self.seed, self.start, self.resync)

    def spec(self) -> PairSpec:
        """The comparison it came from."""
        return PairSpec(
            self.reference,
            self.twin,
            self.bridge or None,
            Tolerances.from_json(self.tolerances),
            include_terminal=self.include_terminal,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data for reports."""
        data = {k: v for k, v in self.__dict__.items() if k not in ("start", "actions")}
        start = None if self.start is None else {k: v.tolist() for k, v in self.start.items()}
        actions = [np.asarray(a).tolist() for a in self.actions]
        return {**data, "start": start, "actions": actions}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Divergence:
        """What `to_json` wrote; a missing or superfluous field raises.

        Dtypes are not in it: whoever loads the start converts it.
        """
        start = data["start"]
        arrays = None if start is None else {k: _array(v) for k, v in start.items()}
        return cls(**{**data, "start": arrays})

    def save(self, folder: Path) -> Divergence:
        """Write it to a file named after what it is; returns itself with the path."""
        data = self.to_json()
        data.pop("path")
        text = json.dumps({"format": FORMAT, **data}, sort_keys=True)
        tag = hashlib.sha256(text.encode()).hexdigest()[:8]
        twin = re.sub(r"[^A-Za-z0-9]+", "-", self.twin).strip("-")
        path = folder / f"divergence-{twin}-L{self.level}-{tag}.npz"
        start = {f"start.{k}": v for k, v in (self.start or {}).items()}
        part = path.with_suffix(".part")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                np.savez(file, divergence=np.array(text), **start)
            part.replace(path)
        except OSError as error:
            raise EnvwrightError(f"cannot write {path}: {error.strerror}") from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return Divergence(**{**self.__dict__, "path": str(path)})


# What NumPy, zip, JSON and a missing or superfluous field raise.
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    zipfile.BadZipFile,
)


def load_divergence(path: Path) -> Divergence:
    """Read a saved divergence; a file that is none is named as such."""
    try:
        with np.load(path, allow_pickle=False) as file:
            data = json.loads(str(file["divergence"]))
            start = {
                k.removeprefix("start."): file[k] for k in file.files if k.startswith("start.")
            }
        if data.pop("format", None) != FORMAT:
            raise EnvwrightError(f"{path} was written by another version of envwright")
        exact = None if data["start"] is None else start
        return Divergence.from_json({**data, "start": exact, "path": str(path)})
    except FileNotFoundError as error:
        raise EnvwrightError(f"there is no file {path}") from error
    except _UNREADABLE as error:
        raise EnvwrightError(f"{path} is not a saved divergence") from error


def describe(
    spec: PairSpec,
    level: int,
    found: Found,
    program: Program,
    origin: str,
    hint: str = "",
    kind: Kind = "steps",
) -> Divergence:
    """The divergence that a program showed."""
    return Divergence(
        level=level,
        reference=name_of(spec.reference),
        twin=name_of(spec.twin),
        field=found.mismatch.field,
        reference_value=found.mismatch.reference,
        twin_value=found.mismatch.twin,
        tolerance=found.mismatch.tolerance,
        step=found.step,
        seed=program.seed,
        actions=program.actions,
        start=program.start,
        origin=origin,
        raised=found.raised,
        hint=hint,
        bridge=spec.bridge if isinstance(spec.bridge, str) else "",
        tolerances=spec.tolerances.to_json(),
        include_terminal=spec.include_terminal,
        resync=program.resync,
        kind=kind,
    )


def name_of(simulator: Any) -> str:
    """How a simulator is called: by its name, or what a function or an object is called."""
    if isinstance(simulator, str):
        return simulator
    return getattr(simulator, "name", None) or getattr(simulator, "__qualname__", str(simulator))


def _array(value: Any) -> np.ndarray:
    """A field of a start; JSON spells NaN and infinity as texts."""
    array = np.asarray(value)
    if isinstance(value, np.ndarray) or array.dtype.kind not in "UO":
        return array
    try:
        return array.astype(np.float64)
    except ValueError:
        return array


def _show(value: Any) -> str:
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def _show_array(value: np.ndarray) -> str:
    """All digits that count: an example must show what it shows when typed in again."""
    array = np.asarray(value)
    text = np.array2string(array, floatmode="unique", separator=", ", max_line_width=10_000)
    return " ".join(text.split())


def _show_actions(actions: list[Any], most: int = 800) -> str:
    """As many actions as fit in about `most` characters; the saved file has all of them."""
    shown: list[str] = []
    for action in actions:
        if sum(map(len, shown)) > most:
            return f"[{', '.join(shown)}, … {len(actions)} in all]"
        shown.append(_show_array(action) if np.ndim(action) else str(action))
    return f"[{', '.join(shown)}]"
