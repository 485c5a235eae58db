"""Compound actions as one flat row of numbers, as they travel in tables and between processes.

An action of a Tuple or Dict space is the numbers of its parts in order; any other action is an
array or a number already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np


def is_compound(space: gymnasium.Space[Any]) -> bool:
    """Whether the actions of a space are several values."""
    return isinstance(space, gymnasium.spaces.Tuple | gymnasium.spaces.Dict)


def row_dtype(space: gymnasium.Space[Any]) -> np.dtype:
    """Return a dtype that holds all parts of an action."""
    return np.result_type(*(part.dtype for part in leaves_of(space)))  # type: ignore[arg-type]


def leaves_of(space: gymnasium.Space[Any]) -> Iterator[gymnasium.Space[Any]]:
    """Yield the parts of a space that are not compound, in the order of a row."""
    if not is_compound(space):
        yield space
    for part in _parts(space).values():
        yield from leaves_of(part)


def flatten_action(action: Any, space: gymnasium.Space[Any]) -> Any:
    """Return an action as a row; one that is not compound stays as it is."""
    return np.concatenate(list(_flat(action, space))) if is_compound(space) else action


def unflatten_action(row: Any, space: gymnasium.Space[Any]) -> Any:
    """Return the action of a row, whose last axis holds the numbers: arrays of NumPy or of JAX."""
    return _taken(row, space, 0)[0] if is_compound(space) else row


def _parts(space: gymnasium.Space[Any]) -> dict[Any, gymnasium.Space[Any]]:
    if isinstance(space, gymnasium.spaces.Dict):
        return dict(space.spaces)
    return dict(enumerate(space.spaces)) if isinstance(space, gymnasium.spaces.Tuple) else {}


def _flat(action: Any, space: gymnasium.Space[Any]) -> Iterator[np.ndarray]:
    if not is_compound(space):
        yield np.ravel(np.asarray(action, row_dtype(space)))
    for key, part in _parts(space).items():
        yield from _flat(action[key], part)


def _taken(row: Any, space: gymnasium.Space[Any], at: int) -> tuple[Any, int]:
    """Return the action whose numbers begin at a place, and the place after them."""
    if not is_compound(space):
        shape = space.shape or ()
        end = at + math.prod(shape)
        taken = row[..., at:end].reshape((*row.shape[:-1], *shape)).astype(space.dtype)
        return taken[()], end  # a single number of NumPy, which can be a key of a dict
    found = {}
    for key, part in _parts(space).items():
        found[key], at = _taken(row, part, at)
    return (found if isinstance(space, gymnasium.spaces.Dict) else tuple(found.values())), at
