"""The tape: every random number a reference draws, in order.

A recording generator is a NumPy Generator over the same bit generator, so that the
reference draws what it would have drawn, and a twin that splits chance from dynamics
can be given the very same numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np


class Draw(NamedTuple):
    """One call of the generator and its result."""

    method: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any


def tape_of(draws: Sequence[Draw]) -> dict[str, list[Any]]:
    """Return the numbers that were drawn, by method, each method's in their order."""
    tape: dict[str, list[Any]] = {}
    for draw in draws:
        value = np.asarray(draw.value)
        if value.dtype.kind in "biuf":
            tape.setdefault(draw.method, []).extend(value.ravel().tolist())
    return tape


class RecordingGenerator(np.random.Generator):
    """A generator that draws as its source would, and records each draw on `tape`."""

    def __init__(self, source: np.random.Generator) -> None:
        super().__init__(source.bit_generator)
        self.tape: list[Draw] = []

    def take(self) -> tuple[Draw, ...]:
        """Return the draws since the last call."""
        taken, self.tape = tuple(self.tape), []
        return taken


def _recording(name: str) -> Any:
    method = getattr(np.random.Generator, name)

    @functools.wraps(method)
    def draw(self: RecordingGenerator, *args: Any, **kwargs: Any) -> Any:
        before = len(self.tape)
        value = method(self, *args, **kwargs)
        del self.tape[before:]  # choice calls integers, permutation calls shuffle
        # shuffle works in place and returns nothing: record the array.
        result = (*args, *kwargs.values())[0] if name == "shuffle" else value
        self.tape.append(Draw(name, args, kwargs, np.copy(result)))
        return value

    return draw


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and callable(getattr(np.random.Generator, _name)):
        if _name != "spawn":
            setattr(RecordingGenerator, _name, _recording(_name))


@contextmanager
def recording_seeds() -> Generator[None]:
    """Make Gymnasium create recording generators from seeds, within the block."""
    from gymnasium.utils import seeding

    plain = seeding.np_random

    def recorded(seed: int | None = None) -> tuple[RecordingGenerator, int]:
        generator, used = plain(seed)
        return RecordingGenerator(generator), used

    seeding.np_random = recorded  # type: ignore[assignment]
    try:
        yield
    finally:
        seeding.np_random = plain
