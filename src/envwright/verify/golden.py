"""Golden pairs: inputs and outputs of a reference's own function.

A function of the reference is wrapped while the reference plays; every call is written down
with its arguments, the attributes of `self` that matter, and the result. Ours must turn the
same inputs into the same outputs.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.array_file import read_arrays
from envwright.core.files import make_folder, write_bytes
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tolerances
from envwright.sim.records import Fields, flatten, stack
from envwright.sim.serve import call
from envwright.verify.compare import Mismatch, mismatches, rows_that_differ

Call = tuple[Fields, Fields]
NEW = 1 << 62  # a place behind all others


@dataclass
class Some:
    """A uniform sample of bounded size from a stream of unknown length."""

    most: int
    seed: int = 0

    def __post_init__(self) -> None:
        self._rng, self._seen = np.random.default_rng(self.seed), 0

    def place(self) -> int | None:
        """Return where the next one goes: a new place, that of another, or none."""
        self._seen += 1
        if self._seen <= self.most:
            return NEW
        place = int(self._rng.integers(self._seen))
        return place if place < self.most else None


@contextmanager
def instrumented(
    target: str, attributes: tuple[str, ...] = (), some: Some | None = None
) -> Iterator[list[Call]]:
    """Record calls of `module:function` or `module:Class.method` within the block.

    Inputs are named after the function's parameters (and `self.NAME` for `attributes`),
    outputs `result…` (and `self.NAME` as the call left it). With `some`, not all are kept.
    """
    owner, name = _owner_of(target)
    original = vars(owner).get(name)  # None: inherited
    function = getattr(owner, name)
    signature = inspect.signature(function)
    calls: list[Call] = []

    @functools.wraps(function)
    def recording(*args: Any, **kwargs: Any) -> Any:
        place = NEW if some is None else some.place()
        if place is None:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        me = given.pop("self", None)
        before = _named(given) | _attributes(me, attributes)
        result = function(*args, **kwargs)
        call = (before, _named({"result": result}) | _attributes(me, attributes))
        if place < len(calls):
            calls[place] = call
        else:
            calls.append(call)
        return result

    unbound = isinstance(original, staticmethod | classmethod)
    setattr(owner, name, staticmethod(recording) if unbound else recording)
    try:
        yield calls
    finally:
        if original is None:
            delattr(owner, name)
        else:
            setattr(owner, name, original)


def table(calls: list[Call]) -> Call:
    """Return all calls as two tables; the calls must agree in shape."""
    if not calls:
        raise EnvwrightError("the reference never called the function that was to be recorded")
    try:
        return stack([i for i, _ in calls]), stack([o for _, o in calls])
    except (KeyError, ValueError) as error:
        raise EnvwrightError(
            f"the recorded calls differ in shape and make no table: {error}"
        ) from error


def save_golden(path: Path, calls: list[Call]) -> None:
    """Save golden pairs in a file, so that tests work without the reference."""
    inputs, outputs = table(calls)
    columns: dict[str, Any] = {f"in.{k}": v for k, v in inputs.items()}
    columns |= {f"out.{k}": v for k, v in outputs.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **columns)
    make_folder(path.parent)
    write_bytes(path, buffer.getvalue())


def load_golden(path: Path) -> Call:
    """Load the tables of inputs and outputs that `save_golden` wrote."""
    try:
        arrays = read_arrays(path)
    except FileNotFoundError as error:
        raise EnvwrightError(f"there is no file {path}") from error
    except (OSError, ValueError) as error:
        raise EnvwrightError(f"{path} holds no golden pairs") from error
    sides = [
        {k.removeprefix(side): v for k, v in arrays.items() if k.startswith(side)}
        for side in ("in.", "out.")
    ]
    rows = {np.shape(v)[:1] for side in sides for v in side.values()}
    if not all(sides) or len(rows) != 1 or () in rows:
        raise EnvwrightError(f"{path} holds no golden pairs")
    return sides[0], sides[1]


def compare_golden(
    golden: Call, ours: Callable[[Fields], Fields], tolerances: Tolerances
) -> tuple[int, Fields, Mismatch] | None:
    """Run ours on all inputs at once; return the first row that differs, with its inputs.

    `ours` takes the table of inputs and returns a table of the outputs it accounts for.
    """
    inputs, outputs = golden
    got = {k: np.asarray(v) for k, v in ours(inputs).items()}
    unknown = got.keys() - outputs.keys()
    if unknown:
        raise EnvwrightError(f"no golden output is called {sorted(unknown)[0]!r}")
    expected = {k: outputs[k] for k in got}
    rows = rows_that_differ(expected, got, tolerances)
    if not len(rows):
        return None
    row = int(rows[0])
    inputs, expected, got = (
        {k: np.asarray(v[row]) for k, v in whole.items()} for whole in (inputs, expected, got)
    )
    return row, inputs, mismatches(expected, got, tolerances)[0]


def function_agrees(
    file: Path, function: str, outputs: Sequence[str], tolerances: Tolerances
) -> str:
    """Compare `module:function` with the golden pairs in a file; "" if it agrees.

    It must return all of `outputs`, or every recorded output if that is empty.
    """
    inputs, expected = load_golden(file)
    expected = {k: expected[k] for k in outputs or expected}
    got = call(function, inputs)
    missing = [name for name in expected if name not in got]
    if missing:
        return f"{function} does not return {missing[0]!r}"
    found = compare_golden(
        (inputs, expected), lambda _: {name: got[name] for name in expected}, tolerances
    )
    if found is None:
        return ""
    row, given, mismatch = found
    shown = ", ".join(f"{k} = {v}" for k, v in given.items())
    return f"row {row} of {file}: {mismatch}\n  inputs {shown}"


def _owner_of(target: str) -> tuple[Any, str]:
    load_attribute(target)  # raises if something is wrong with the name
    path, dot, name = target.rpartition(".")
    if ":" in path and dot:
        return load_attribute(path), name
    module, _, name = target.partition(":")
    # Where it is looked up, which need not be where it was written.
    return importlib.import_module(module), name


def _named(given: dict[str, Any]) -> Fields:
    named: Fields = {}
    for name, value in given.items():
        data = _data(value)
        if data is not None:
            named |= flatten(name, data)
    return named


def _attributes(me: Any, names: tuple[str, ...]) -> Fields:
    found: Fields = {}
    for name in names:
        if not hasattr(me, name):
            raise EnvwrightError(f"{type(me).__name__} has no attribute {name!r} to record")
        found |= flatten(f"self.{name}", np.array(getattr(me, name)))
    return found


def _data(value: Any) -> Any:
    """Return numbers and containers of numbers; other values of a call are not part of the pair."""
    if isinstance(value, tuple | list):
        kept = [d for d in map(_data, value) if d is not None]
        return tuple(kept) if isinstance(value, tuple) else np.asarray(kept)
    if isinstance(value, bool | int | float | np.generic | np.ndarray):
        return np.array(value)
    return None
