"""A divergence: where two implementations part, and what shows it again.

`Divergence` has what every divergence reports. Each subclass adds exactly what is needed to see
it again; the `kind` in a file selects the subclass.
"""

from __future__ import annotations

import hashlib
import io
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np

from envwright.core.array_file import KINDS, is_numpys, read_arrays
from envwright.core.files import json_text, make_folder, write_bytes
from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.schema.json_records import parse_json

LONGEST = 100  # characters of the twin's name in a file name
LONGEST_LINE = 20_000  # characters of a field in words
FORMAT = 2
_UNINDENTED = re.compile(r"\n(?! )")
_FIRST_FORMAT = 1  # one record with the fields of every kind


class Divergence(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True
):
    """The first step at which two implementations differ, and how it was found."""

    level: int
    reference: str
    twin: str
    field: str
    reference_value: Any
    twin_value: Any
    tolerance: str
    step: int  # index of the action after which they differ; -1: the start
    origin: str
    raised: str = ""  # the twin's exception
    hint: str = ""
    path: str = ""  # of the file that holds it

    @property
    def kind(self) -> str:
        """The name of the subclass in files."""
        return str(self.__struct_config__.tag)

    @property
    def where(self) -> str:
        """The step, in words."""
        lane = getattr(self, "lane", None)
        step = f"step {self.step}" if self.step >= 0 else "the reset"
        return step if lane is None else f"{step}, lane {lane}"

    def __str__(self) -> str:
        return self.text()

    def text(self, trust: bool = False) -> str:
        """Describe it. With `trust`, the command that replays it trusts the names in the file."""
        sides = f"{_line(self.reference)} and {_line(self.twin)}"
        lines = [f"{sides} differ at {self.where} (level {self.level})"]
        if self.raised:
            lines.append(f"  the twin raised  {_line(self.raised)}")
        else:
            lines += [
                f"  field      {_line(self.field)}   (tolerance: {_line(self.tolerance)})",
                f"  reference  {_line(_show(self.reference_value))}",
                f"  twin       {_line(_show(self.twin_value))}",
            ]
        if self.hint:
            lines.append("  " + _UNINDENTED.sub("\n  ", self.hint))
        start, seed = getattr(self, "start", None), getattr(self, "seed", None)
        if start is not None:
            fields = (f"{_line(k)} = {_show_array(v)}" for k, v in start.items())
            lines.append(f"  start      {', '.join(fields)}")
        elif seed is not None:
            lines.append(f"  start      a reset with seed {seed}")
        if getattr(self, "actions", ()):
            lines.append(f"  actions    {_show_actions(self.actions)}")  # type: ignore[attr-defined]
        lines.append(f"  found in   {_line(self.origin)}")
        if self.path:
            words = ["envwright", "replay", *(["--trust"] if trust else []), self.path]
            lines.append(f"  replay     {shlex.join(words)}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for reports."""
        data: dict[str, Any] = {k: getattr(self, k) for k in self.__struct_fields__}
        data["kind"] = self.kind
        if data.get("start") is not None:
            data["start"] = {k: np.asarray(v).tolist() for k, v in data["start"].items()}
        if "actions" in data:
            data["actions"] = [np.asarray(a).tolist() for a in data["actions"]]
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> Divergence:
        """Read what `to_json` wrote, in this format or the first. Raises `ValueError`.

        JSON has no dtypes: whoever loads the start converts it.
        """
        try:
            found = msgspec.convert(
                _upgraded(data), Steps | Law | Spaces | GoldenPair | Vector | Trace
            )
        except msgspec.ValidationError as error:
            raise ValueError(f"not a divergence: {error}") from error
        start = getattr(found, "start", None)
        if start is None:
            return found
        return msgspec.structs.replace(found, start={k: _array(v) for k, v in start.items()})

    def save(self, folder: Path) -> Self:
        """Write a file named after the content; return the divergence with its path.

        Raises `EnvwrightError` if the start holds what the file cannot.
        """
        start: dict[str, Any] = {
            f"start.{name}": _stored(name, value)
            for name, value in (getattr(self, "start", None) or {}).items()
        }
        data = self.to_json()
        data.pop("path")
        text = json_text({"format": FORMAT, **data}, sort_keys=True)
        tag = hashlib.sha256(text.encode()).hexdigest()[:8]
        twin = re.sub(r"[^A-Za-z0-9]+", "-", self.twin).strip("-")[:LONGEST]
        path = folder / f"divergence-{twin}-L{self.level}-{tag}.npz"
        buffer = io.BytesIO()
        np.savez(buffer, divergence=np.array(text), **start)
        make_folder(folder)
        write_bytes(path, buffer.getvalue())
        return msgspec.structs.replace(self, path=str(path))


class PairDivergence(Divergence, frozen=True, kw_only=True):
    """A divergence of two named simulators."""

    bridge: str = ""
    tolerances: dict[str, Any] = {}
    include_terminal: bool = False


class Steps(PairDivergence, frozen=True, kw_only=True, tag="steps"):
    """Actions from a start: the last state that agreed, or a reset with `seed`."""

    seed: int
    actions: list[Any]
    start: dict[str, Any] | None
    resync: bool = False  # the twin is set to the reference's state after each step


class Law(PairDivergence, frozen=True, kw_only=True, tag="law"):
    """The distribution of starts, or of the outcomes of an action in a state."""

    seed: int
    actions: list[Any]
    start: dict[str, Any] | None


class Spaces(PairDivergence, frozen=True, kw_only=True, tag="spaces"):
    """The observation or action space."""


class GoldenPair(Divergence, frozen=True, kw_only=True, tag="golden"):
    """A recorded function of the reference; each verification records it anew."""


class Vector(PairDivergence, frozen=True, kw_only=True, tag="vector"):
    """Lanes of a vector environment, or what its reset leaves behind."""

    seed: int
    actions: list[Any]
    lane: int
    resets: bool = False


class Trace(Divergence, frozen=True, kw_only=True, tag="trace"):
    """A trace of a room's own; the room's registered traces of this name show it again."""

    room: str
    trace: str
    actions: list[Any] = []
    start: dict[str, Any] | None = None
    seed: int = 0
    lane: int | None = None


def load_divergence(path: Path) -> Divergence:
    """Read a saved divergence. Raises `EnvwrightError` if the file is not one."""
    try:
        arrays = read_arrays(path)
        data = parse_json(str(arrays["divergence"]), finite=False)  # the twin may return NaN
        start = {k.removeprefix("start."): v for k, v in arrays.items() if k.startswith("start.")}
        if data.pop("format", None) not in (_FIRST_FORMAT, FORMAT):
            raise EnvwrightError(f"{path} was written by another version of envwright")
        exact = {} if data.get("start") is None else {"start": start}
        return Divergence.from_json({**data, **exact, "path": str(path)})
    except FileNotFoundError as error:
        raise EnvwrightError(f"there is no file {path}") from error
    except OSError as error:
        raise EnvwrightError(f"{path} is not a saved divergence: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EnvwrightError(f"{path} is not a saved divergence") from error


_PAIR = ("bridge", "tolerances", "include_terminal")
_PROGRAM = ("seed", "actions", "start")
# Fields of the first format that a kind does not have.
_UNUSED = {
    "steps": ("lane",),
    "law": ("lane", "resync"),
    "spaces": ("lane", "resync", *_PROGRAM),
    "golden": ("lane", "resync", *_PAIR, *_PROGRAM),
    "vector": ("start", "resync"),
    "trace": ("resync", *_PAIR),
}


def _upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """The data of the first format in the present one; other data as it is."""
    data = {"kind": "steps"} | data  # the first format may leave this default out
    if not {*_PAIR, *_PROGRAM, "lane", "resync"} <= data.keys():
        return data
    kind = data["kind"]
    if kind == "room":
        data = data | {"kind": "trace"} | _registered(str(data["bridge"]))
    elif kind == "vector-reset":
        data = data | {"kind": "vector", "resets": True}
    if data["kind"] not in _UNUSED:
        raise ValueError(f"unknown kind {data['kind']!r}")
    return {k: v for k, v in data.items() if k not in _UNUSED[data["kind"]]}


def _registered(function: str) -> dict[str, str]:
    """Room and trace of a function that the first format names: `envwright.zoo.ID.…:replay_X`."""
    module, _, name = function.partition(":")
    parts = module.split(".")
    trace = parts[-1] if name == "replay" else name.removeprefix("replay_")
    return {"room": parts[2] if len(parts) > 2 else module, "trace": trace}


def _array(value: Any) -> np.ndarray:
    """A field of a start; JSON spells NaN and infinity as texts."""
    array = np.asarray(value)
    if isinstance(value, np.ndarray) or array.dtype.kind not in "UO":
        return array
    try:
        return array.astype(np.float64)
    except ValueError:
        return array


def _stored(name: str, value: Any) -> np.ndarray:
    """Return a field of a start with a dtype that the file has and that keeps its values.

    The file has no bfloat16, float8 or int4; whoever loads the start converts it back.
    """
    array = np.asarray(value)
    if not is_numpys(array.dtype) or array.dtype.kind == "O":
        with suppress(ValueError):  # rows of different lengths
            array = np.asarray(array.tolist()).reshape(array.shape)
    if array.dtype.kind not in KINDS:
        raise EnvwrightError(
            f"cannot save the divergence: {name} of its start holds {array.dtype}; "
            "a state is made of numbers and text"
        )
    return array


def _line(text: str) -> str:
    """Text of a file as a part of a line: it cannot look like lines of ours."""
    return one_line(text, LONGEST_LINE)


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
