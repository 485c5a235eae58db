"""Records: observations, states and outcomes as named values.

An outcome of a step is one flat dict of NumPy arrays: `obs` (or `obs.key` for dict
observations), `reward`, `terminated`, `truncated`, and `state.…` where the simulator
shows its state. Flat and named, so that a divergence can point at a field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from envwright.core.bridge import Fields
from envwright.errors import EnvwrightError

STATE = "state."


def flatten(prefix: str, value: Any) -> Fields:
    """Flatten a value to named arrays below `prefix`: dicts, tuples and dataclasses are opened.

    Arrays are copied, since an environment may use its own again in the next step.
    """
    if isinstance(value, np.ndarray | np.generic | int | float):
        return {prefix: np.array(value)}  # almost always; the questions below take their time
    if isinstance(value, dict):
        parts = value.items()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
    elif isinstance(value, tuple) and (names := getattr(value, "_fields", None)):
        parts = zip(names, value, strict=True)
    elif isinstance(value, tuple) and not _is_vector(value):
        parts = ((str(i), v) for i, v in enumerate(value))
    else:
        return {prefix: np.array(value)}
    return {k: v for name, part in parts for k, v in flatten(f"{prefix}.{name}", part).items()}


def _is_vector(value: tuple[Any, ...]) -> bool:
    """Return whether a value is several numbers; a flag among them is a field of its own."""
    return len(value) > 1 and all(_is_number(v) for v in value)


def _is_number(value: Any) -> bool:
    if isinstance(value, tuple | list | dict):
        return False
    return np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf"


def outcome(
    obs: Any, reward: Any, terminated: Any, truncated: Any, state: Fields | None = None
) -> Fields:
    """Return the record of one step.

    A step that terminates is not also called truncated: Gymnasium's TimeLimit sets both
    at the last step, others do not, and no learner can tell the difference.
    """
    if isinstance(terminated, bool) and isinstance(truncated, bool):  # most often, and quicker
        terminated, truncated = np.array(terminated), np.array(truncated and not terminated)
    else:
        terminated = np.asarray(terminated, bool)
        truncated = np.asarray(truncated, bool) & ~terminated
    paid = np.asarray(reward)
    if paid.dtype.kind not in "biuf":
        raise EnvwrightError(f"a step pays {reward!r}, which is not a number; return a float")
    return {
        **flatten("obs", obs),
        "reward": paid,
        "terminated": terminated,
        "truncated": truncated,
        **as_state({name: np.array(value) for name, value in (state or {}).items()}),
    }


def as_state(state: Fields) -> Fields:
    """Return a state as part of a record: every name with the prefix `state.`."""
    return {STATE + name: value for name, value in state.items()}


def state_of(record: Fields) -> Fields:
    """Return the state in a record, without the prefix."""
    return {k.removeprefix(STATE): v for k, v in record.items() if k.startswith(STATE)}


def without_state(record: Fields) -> Fields:
    """Return the record without its state."""
    return {k: v for k, v in record.items() if not k.startswith(STATE)}


def is_over(record: Fields) -> bool:
    """Return whether the step ended the episode."""
    return bool(record["terminated"] | record["truncated"])


def stack(records: Iterable[Fields]) -> Fields:
    """Stack records with equal keys and shapes to one table with a leading axis."""
    rows = list(records)
    # Not np.stack, which is ten times slower for small values.
    return {k: np.array([r[k] for r in rows]) for k in rows[0]} if rows else {}


def unstack(table: Fields) -> list[Fields]:
    """Return the rows of a table."""
    if not table:
        return []
    count = len(next(iter(table.values())))
    return [row(table, i) for i in range(count)]


def row(table: Fields, index: int) -> Fields:
    """Return one row of a table."""
    return {k: v[index] for k, v in table.items()}


def pad(rows: Any, size: int) -> Any:
    """Repeat the last row up to a size."""
    missing = size - len(rows)
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
