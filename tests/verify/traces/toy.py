"""A toy room with traces: a counter that starts somewhere and adds what it is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.verify.compare import Mismatch
from envwright.verify.traces.compare import Engine
from envwright.verify.traces.kinds import Rerun, RoomTraces
from envwright.verify.traces.shrink import drop_actions, propose, simplify_actions


@dataclass(frozen=True)
class Script:
    start: int
    actions: list[int]


@dataclass(frozen=True)
class Count:
    """What the reference counted: at the start, and after each action."""

    script: Script
    totals: list[int]
    about: str = "a count"

    @property
    def length(self) -> int:
        return len(self.script.actions)


def count(script: Script, about: str = "a count") -> Count:
    if any(action < 0 for action in script.actions):
        raise EnvwrightError("the counter only counts up")
    totals = np.cumsum([script.start, *script.actions]).tolist()
    return Count(script, totals, about)


class Adder(Engine[Count]):
    """The same, many at once."""

    batches: Sequence[int] = ()

    def group(self, trace):
        return trace.script.start % 2

    def begin(self, traces):
        self.batches = [*self.batches, len(traces)]
        self.traces = traces
        self.totals = np.array([trace.script.start for trace in traces])

    def step(self, step, running):
        for lane in np.flatnonzero(running):
            self.totals[lane] = self.add(self.totals[lane], self.traces[lane].script.actions[step])

    def add(self, total, action):
        return total + action

    def differing(self, step):
        return self.totals != [t.totals[min(step, t.length)] for t in self.traces]

    def mismatches(self, lane, step):
        theirs = self.traces[lane].totals[step]
        return [Mismatch("total", theirs, int(self.totals[lane]))]


class WrongAdder(Adder):
    """Forgets the carry where a seven meets an odd total."""

    def add(self, total, action):
        return total + action - 10 * (action == 7 and total % 2 == 1)


class RaisingAdder(Adder):
    def add(self, total, action):
        if action == 9:
            raise ValueError("no nines")
        return total + action


class Counts(RoomTraces[Script, Count]):
    room, name, reference = "toycount", "counts", "a counter"
    engine: type[Adder] = WrongAdder

    @contextmanager
    def recorder(self) -> Iterator:
        yield count

    def engines(self, twin):
        return (self.engine,)

    def saved(self, script):
        return {"start": np.array(script.start)}, list(script.actions)

    def script(self, start, actions):
        return Script(int(start["start"]), list(actions))

    def moves(self, record):
        return drop_actions, propose(_lower_starts), simplify_actions(range)


def _lower_starts(script: Script) -> Iterator[Script]:
    """The room's own move."""
    for start in range(script.start % 10, script.start, 10):
        yield replace(script, start=start)


COUNTS = Counts()
TRACES = {"counts": COUNTS, "again": Rerun(lambda saved: f"seed {saved.seed} differs again")}
ROOM = Room(
    id="toycount",
    version=1,
    title="ToyCount",
    summary="a counter for tests",
    backends={"numpy": "tests.verify.traces.toy:Adder"},
    package="tests.verify.traces",
    traces="toy:TRACES",
)
