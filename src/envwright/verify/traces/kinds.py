"""The kinds of traces of a room: how each is recorded, compared, saved, replayed and shrunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Trace as Saved
from envwright.sim.records import Fields
from envwright.verify.traces.compare import Difference, Engine, Trace, differences
from envwright.verify.traces.shrink import Move, Search, drop_actions, shrink

BUDGET = 400  # scripts that shrinking tries

S = TypeVar("S")  # a script: a start and actions
T = TypeVar("T", bound=Trace)
Record = Callable[[S], T]


class Replayed(Protocol):
    """A room's check that a file can name, and that can be replayed."""

    def replay(self, saved: Saved) -> str:
        """Describe what still differs; "" if nothing does."""
        ...


@dataclass(frozen=True)
class Rerun:
    """A check that is run again as a whole."""

    check: Callable[[Saved], str]

    def replay(self, saved: Saved) -> str:
        """Return what the check finds now."""
        return self.check(saved)


class RoomTraces(Generic[S, T]):
    """One kind of traces of a room."""

    room: str
    name: str
    reference: str

    def recorder(self) -> AbstractContextManager[Record[S, T]]:
        """Open the reference; the function records a script, or raises if it cannot be played."""
        raise NotImplementedError

    def engines(self, twin: str) -> Iterable[Callable[[], Engine[T]]]:
        """Makers of engines to ask about a saved trace of a twin, the quickest first."""
        raise NotImplementedError

    def saved(self, script: S) -> tuple[Fields, list[Any]]:
        """Return the start and the actions of a script, as files keep them."""
        raise NotImplementedError

    def script(self, start: Fields, actions: list[Any]) -> S:
        """Return the script that a file keeps."""
        raise NotImplementedError

    def moves(self, record: Record[S, T]) -> Sequence[Move]:
        """The moves that make a script smaller, the boldest first."""
        return (drop_actions,)

    def played(self, script: S, trace: T, step: int) -> S:
        """Return the script as the reference played it, up to a step."""
        return replace(script, actions=script.actions[:step])  # type: ignore[type-var, attr-defined]

    def divergence(
        self, level: int, found: Difference, script: S, twin: str, origin: str = ""
    ) -> Saved:
        """Return a difference in the form in which it is reported and saved."""
        start, actions = self.saved(script)
        more = found.first.more
        return Saved(
            level=level,
            reference=self.reference,
            twin=twin,
            field=found.first.field,
            reference_value=found.first.reference,
            twin_value=found.first.twin,
            tolerance="exact",
            step=found.step - 1,
            origin=f"{origin}: {found}" if origin else str(found),
            raised=found.raised,
            hint=f"and {more} more of that field" if more else "",
            room=self.room,
            trace=self.name,
            start=start,
            actions=actions,
        )

    def replay(self, saved: Saved) -> str:
        """Describe what still differs in a saved trace; "" if nothing does."""
        with self.recorder() as record:
            trace = record(self._script(saved))
            for make in self.engines(saved.twin):
                with closing(make()) as engine:
                    found = differences(engine, [trace])
                if found:
                    return str(found[0])
        return ""

    def shrink(self, saved: Saved, budget: int = BUDGET) -> Saved:
        """Return the smallest trace found that still differs. Raises if the saved one agrees."""
        with self.recorder() as record:
            for make in self.engines(saved.twin):
                with closing(make()) as engine:
                    script = self._script(saved)
                    small = self.smaller(script, engine, record, budget, rounds=budget)
                if small is not None:
                    found, script = small
                    return self.divergence(saved.level, found, script, saved.twin)
        raise EnvwrightError(
            f"{saved.path} shows no difference any more; there is nothing to shrink"
        )

    def smaller(
        self, script: S, engine: Engine[T], record: Record[S, T], budget: int, rounds: int = 1
    ) -> tuple[Difference, S] | None:
        """Shrink a script on one engine; None if it shows nothing there."""

        def shows(candidate: S) -> tuple[S, Difference] | None:
            try:
                trace = record(candidate)
            except EnvwrightError:  # the reference cannot play it
                return None
            found = differences(engine, [trace])
            return (self.played(candidate, trace, found[0].step), found[0]) if found else None

        shown = shows(script)
        if shown is None:
            return None
        search = Search(*shown, shows, budget)
        shrink(search, self.moves(record), rounds)
        return search.found, search.script

    def _script(self, saved: Saved) -> S:
        return self.script(saved.start or {}, saved.actions)


def find_traces(saved: Saved) -> Replayed:
    """Return the registered traces that a file names. Raises if the room does not have them."""
    room = find(saved.room)
    known = room.attribute(room.traces) if room.traces else {}
    if saved.trace not in known:
        there = f"it has {', '.join(known)}" if known else "it has none"
        raise EnvwrightError(f"{room.name} has no traces named {saved.trace!r}; {there}")
    return known[saved.trace]
