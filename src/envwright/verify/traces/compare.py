"""Play recorded traces on an engine, many side by side, and find where it parts from each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Generic, Protocol, TypeVar

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.simulator import TwinRaised, twin_at_work
from envwright.verify.compare import Mismatch

Told = Callable[[int], None]  # how many traces are done
SHOWN = 4  # values of a step that a summary lists


class Trace(Protocol):
    """A recorded game or a piece of one."""

    @property
    def about(self) -> str:
        """The purpose of the recording."""
        ...

    @property
    def length(self) -> int:
        """The number of its actions."""
        ...


T = TypeVar("T", bound=Trace)


@dataclass(frozen=True)
class Difference:
    """The first step at which an engine parts from a trace."""

    trace: int  # its place among those compared
    step: int  # 0: at the start; n: after the n-th action
    mismatches: tuple[Mismatch, ...]  # the room's most telling one first
    context: str  # the trace and its last action, in words
    raised: str = ""

    @property
    def first(self) -> Mismatch:
        """The value to report."""
        return self.mismatches[0]

    def __str__(self) -> str:
        values = [f"{m.field}: {m.reference} | {m.twin}" for m in self.mismatches[:SHOWN]]
        rest = len(self.mismatches) - SHOWN
        return f"{self.context}: {'; '.join(values)}{f'; and {rest} more' if rest > 0 else ''}"


class Engine(Generic[T]):
    """The implementation under test, playing a batch of traces in lockstep."""

    lanes = 0  # traces of a batch at most; 0: all of them
    fixed = False  # every batch has exactly `lanes`, since another number is another program

    def group(self, trace: T) -> Hashable:
        """Only traces of one group share a batch."""

    def begin(self, traces: Sequence[T]) -> None:
        """Bring every lane to the start of its trace."""
        raise NotImplementedError

    def step(self, step: int, running: np.ndarray) -> None:
        """Take action number `step` in each running lane; what others do does not matter."""
        raise NotImplementedError

    def follow(self, step: int) -> None:
        """Bring the reference to this step, if it plays along instead of being recorded."""

    def differing(self, step: int) -> np.ndarray:
        """Return the lanes that differ from their traces after `step` actions: bool[B]."""
        raise NotImplementedError

    def mismatches(self, lane: int, step: int) -> Sequence[Mismatch]:
        """Return what differs in a lane, the most informative value first."""
        raise NotImplementedError

    def action(self, trace: T, step: int) -> str:
        """Describe the action before a step."""
        return f"action {step}"

    def close(self) -> None:
        """Release what the engine holds."""


def differences(
    engine: Engine[T],
    traces: Sequence[T],
    most: int = 1_000_000,
    told: Told = lambda done: None,
) -> list[Difference]:
    """Return where an engine parts from traces: one entry a trace at most, early steps first."""
    found: dict[int, Difference] = {}
    for done, part in _batches(engine, traces):
        batch = [traces[index] for index in part]
        for one in _of_batch(engine, batch, most - len(found), partial(_add, told, done)):
            found.setdefault(part[one.trace], replace(one, trace=part[one.trace]))
        if len(found) >= most:
            break
    told(len(traces))
    return sorted(found.values(), key=lambda one: (one.step, one.trace))[:most]


def _add(told: Told, done: int, ended: int) -> None:
    told(done + ended)


def _batches(engine: Engine[T], traces: Sequence[T]) -> Iterator[tuple[int, list[int]]]:
    """Yield the number of traces before each batch, and the places of its traces.

    Traces of similar length share a batch, so that few lanes wait for others to end. The last
    batch is as large as the others where that is possible: it takes some traces again.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, trace in enumerate(traces):
        groups.setdefault(engine.group(trace), []).append(index)
    done = 0
    for members in groups.values():
        members.sort(key=lambda index: traces[index].length)
        lanes = engine.lanes or len(members)
        for first in range(0, len(members), lanes):
            part = members[max(0, min(first, len(members) - lanes)) : first + lanes]
            done += min(lanes, len(members) - first)
            yield done - len(part), part


def _of_batch(engine: Engine[T], traces: list[T], most: int, told: Told) -> list[Difference]:
    """Compare one batch; if the engine raises, bisect the batch to find the trace."""
    if most <= 0:
        return []
    try:
        return list(islice(_lockstep(engine, traces, told), most))
    except _RaisedAt as error:
        if len(traces) == 1:
            raised = (Mismatch("raised", "an answer", error.text),)
            context = _context(engine, traces[0], error.step)
            return [Difference(0, error.step, raised, context, error.text)]
    half = len(traces) // 2
    found = _of_batch(engine, traces[:half], most, told)
    rest = _of_batch(engine, traces[half:], most - len(found), partial(_add, told, half))
    return found + [replace(one, trace=one.trace + half) for one in rest]


class _RaisedAt(Exception):
    def __init__(self, step: int, text: str) -> None:
        self.step, self.text = step, text


def _lockstep(engine: Engine[T], traces: list[T], told: Told) -> Iterator[Difference]:
    idle = [traces[0]] * (engine.lanes - len(traces) if engine.fixed else 0)
    lengths = np.array([*(trace.length for trace in traces), *(-1 for _ in idle)])
    running = lengths >= 0
    for step in range(int(lengths.max()) + 1):
        running &= lengths >= step
        if not running.any():
            return
        try:
            with twin_at_work():
                if step:
                    engine.step(step - 1, running)
            if not step:
                _begin(engine, [*traces, *idle])
            engine.follow(step)
            with twin_at_work():
                lanes = np.flatnonzero(running & engine.differing(step)).tolist()
                listed = [tuple(engine.mismatches(lane, step)) for lane in lanes]
        except TwinRaised as error:
            raise _RaisedAt(step, str(error)) from error
        running[lanes] = False
        for lane, values in zip(lanes, listed, strict=True):
            yield Difference(lane, step, values, _context(engine, traces[lane], step))
        told(len(traces) - int((running & (lengths > step)).sum()))


def _begin(engine: Engine[T], traces: list[T]) -> None:
    """Start a batch. An `EnvwrightError` is about the input or the set-up, not a difference."""
    try:
        engine.begin(traces)
    except EnvwrightError:
        raise
    except Exception as error:
        raise TwinRaised(f"{type(error).__name__}: {error}") from error


def _context(engine: Engine[T], trace: T, step: int) -> str:
    did = f"after {engine.action(trace, step)}" if step else "at the start"
    return f"{trace.about}, {did}"
