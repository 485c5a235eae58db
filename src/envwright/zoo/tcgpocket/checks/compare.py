"""Plays recorded traces on another engine, many side by side, and says where it parts.

After every step, all exact: the saved record, the mask, the observations of both players, the draws
of the step, who moves, whether the game is over, and the rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from envwright.zoo.tcgpocket.checks import words
from envwright.zoo.tcgpocket.checks.traces import Stacked, Trace, settings_of
from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.observation import observe_many
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE

SEATS = (0, 1)
REWARDS = np.array([[0, 0], [1, -1], [-1, 1], [0, 0]])  # by `winner`
LANES = 512  # of a batch: a larger one waits longer for its longest trace


class Batch(Protocol):
    """A batch of games on some engine; `engine.games.Games` is one."""

    def new(self, decks: Sequence[Any], seeds: Sequence[int]) -> None: ...
    def load(self, records: np.ndarray) -> None: ...
    def step(self, actions: np.ndarray) -> None: ...
    def observe(self, players: np.ndarray | None = None) -> np.ndarray: ...

    @property
    def records(self) -> np.ndarray: ...
    @property
    def masks(self) -> np.ndarray: ...
    @property
    def mover(self) -> np.ndarray: ...
    @property
    def over(self) -> np.ndarray: ...
    @property
    def rewards(self) -> np.ndarray: ...
    @property
    def draws(self) -> list[list[tuple[int, int, int]]]: ...


Make = Callable[[Settings], Batch]  # an engine
Told = Callable[[int], None]  # traces that are done


@dataclass(frozen=True)
class Difference:
    """The first thing in which an engine parts from a trace."""

    index: int  # of the trace
    trace: Trace  # as far as the step that shows it
    step: int  # 0: the start itself
    field: str
    reference: str
    ours: str
    all_fields: str  # everything that differs there, for people

    def __str__(self) -> str:
        did = "at the start"
        if self.step:
            state = _state(self.trace.records[self.step - 1])
            did = f"after {words.action_words(self.trace.actions[self.step - 1], state)}"
        return f"{self.trace.about}, {did}: {self.all_fields}"


def differences(
    make: Make,
    traces: Sequence[Trace],
    most: int = 1_000_000,
    told: Told = lambda done: None,
    lanes: int = LANES,
) -> list[Difference]:
    """Where an engine parts from traces, one entry a trace at most.

    Traces of one kind and length share a batch, so that few lanes wait for others to end.
    """
    groups: dict[Any, list[int]] = {}
    for index, trace in enumerate(traces):
        groups.setdefault((trace.start.rules, bool(trace.start.record)), []).append(index)
    found: dict[int, Difference] = {}
    done = 0
    for (rules, _), members in groups.items():
        if len(found) >= most:
            break
        members.sort(key=lambda index: len(traces[index].actions))
        batch = make(settings_of(rules))
        for first in range(0, len(members), lanes):
            # The last part is as large as the others, so that no other program is compiled.
            part = members[max(0, min(first, len(members) - lanes)) : first + lanes]
            for one in _apart(batch, [traces[i] for i in part], most - len(found)):
                found.setdefault(part[one.index], _numbered(one, part[one.index]))
            done += min(lanes, len(members) - first)
            told(done)
            if len(found) >= most:
                break
    return [found[index] for index in sorted(found)][:most]


def _numbered(one: Difference, index: int) -> Difference:
    return Difference(index, *(getattr(one, name) for name in _REST))


_REST = ("trace", "step", "field", "reference", "ours", "all_fields")


def _apart(batch: Batch, traces: list[Trace], most: int) -> list[Difference]:
    """One batch in lockstep; if the engine raises, its halves, until it is known for whom."""
    if most <= 0:
        return []
    try:
        return _lockstep(batch, traces)
    except Exception as error:
        if len(traces) == 1:
            said = f"{type(error).__name__}: {error}"
            trace = traces[0]
            return [Difference(0, trace, len(trace.actions), "raised", "an answer", said, said)]
    half = len(traces) // 2
    found = _apart(batch, traces[:half], most)
    rest = _apart(batch, traces[half:], most - len(found))
    return found + [_numbered(one, one.index + half) for one in rest]


def _lockstep(batch: Batch, traces: list[Trace]) -> list[Difference]:
    known = Stacked.of(traces)
    found: dict[int, Difference] = {}
    if traces[0].start.record:
        given = b"".join(trace.start.record for trace in traces)
        batch.load(np.frombuffer(given, known.records.dtype))
    else:
        batch.new([t.start.both_decks() for t in traces], [t.start.seed for t in traces])
    running = np.ones(len(traces), bool)
    for step in range(known.actions.shape[1] + 1):
        if step:
            batch.step(_taken(batch, known.actions[:, step - 1], running))
        running &= known.lengths >= step
        if not running.any():
            break
        for lane in np.flatnonzero(running & _differing(batch, known, step)):
            found[int(lane)] = _described(batch, known, int(lane), step)
            running[lane] = False
    return [found[lane] for lane in sorted(found)]


def _taken(batch: Batch, actions: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Actions of the traces; lanes that nobody looks at any more do something legal."""
    anything = np.argmax(batch.masks, axis=1)
    return np.where(running & (actions >= 0), actions, anything).astype(np.int32)


def _differing(batch: Batch, known: Stacked, step: int) -> np.ndarray:
    """bool[B]: which lanes differ after a step in anything."""
    theirs, ours = known.records[:, step], batch.records
    lanes = len(theirs)
    raw = [np.ascontiguousarray(side).view(np.uint8).reshape(lanes, -1) for side in (theirs, ours)]
    wrong = np.any(raw[0] != raw[1], axis=1)
    wrong |= np.any(known.masks[:, step] != batch.masks, axis=1)
    over = theirs["stage"] == Stage.OVER
    wrong |= over != np.asarray(batch.over)
    wrong |= np.where(over, theirs["player"], theirs["asked"]) != np.asarray(batch.mover)
    wrong |= np.any(REWARDS[theirs["winner"]] != np.asarray(batch.rewards), axis=1)
    settings = settings_of(known.traces[0].start.rules)
    for seat in SEATS:
        who = np.full(lanes, seat)
        wrong |= np.any(_seen(theirs, who, settings) != batch.observe(who), axis=1)
    drawn = batch.draws
    for lane, trace in enumerate(known.traces):
        if step < len(trace.draws) and trace.draws[step] != drawn[lane]:
            wrong[lane] = True
    return wrong


def _seen(states: np.ndarray, who: np.ndarray, settings: Settings) -> np.ndarray:
    """int16[B, 382]: what players see in saved states, as the contract says it."""
    return observe_many(states, who, settings).view("<i2").reshape(len(states), -1)


def _described(batch: Batch, known: Stacked, lane: int, step: int) -> Difference:
    theirs = known.records[lane, step]
    trace = known.traces[lane]
    told: list[tuple[str, str, str]] = []
    for one in words.places(theirs, batch.records[lane]):
        values = (words.value(one.field, number, theirs) for number in (one.reference, one.ours))
        told.append((words.field_name(one.field, theirs), *values))
    told += _draws_apart(trace.draws[step], batch.draws[lane])
    mask = known.masks[lane, step] != batch.masks[lane]
    for action in np.flatnonzero(mask).tolist():
        legal = "legal" if known.masks[lane, step, action] else "not legal"
        other = "not legal" if legal == "legal" else "legal"
        told.append((f"mask of {words.action_words(action, theirs)}", legal, other))
    told += _others_apart(batch, known, lane, step)
    told += _views_apart(batch, known, lane) if not told else []
    first = told[0]
    shown = "; ".join(f"{field}: {a} | {b}" for field, a, b in told[:4])
    shown += f"; and {len(told) - 4} more" if len(told) > 4 else ""
    return Difference(lane, trace.cut(step), step, *first, shown)


def _draws_apart(theirs: list, ours: list) -> list[tuple[str, str, str]]:
    for place in range(max(len(theirs), len(ours))):
        a = theirs[place] if place < len(theirs) else None
        b = tuple(ours[place]) if place < len(ours) else None
        if a != b:
            return [(f"draw {place} of the step", words.draw_words(a), words.draw_words(b))]
    return []


def _others_apart(batch: Batch, known: Stacked, lane: int, step: int) -> list:
    state = known.records[lane, step]
    over = bool(state["stage"] == Stage.OVER)
    pairs = {
        "over": (over, bool(batch.over[lane])),
        "mover": (int(state["player"] if over else state["asked"]), int(batch.mover[lane])),
        "rewards": (REWARDS[state["winner"]].tolist(), np.asarray(batch.rewards)[lane].tolist()),
    }
    return [(name, str(a), str(b)) for name, (a, b) in pairs.items() if a != b]


def _views_apart(batch: Batch, known: Stacked, lane: int) -> list[tuple[str, str, str]]:
    """Observations are told only where the state is right: otherwise they follow from it."""
    settings = settings_of(known.traces[0].start.rules)
    state = batch.records[lane : lane + 1]
    told = []
    for seat in SEATS:
        theirs = _seen(state, np.array([seat]), settings)[0]
        ours = batch.observe(np.full(len(known.traces), seat))[lane]
        for one in words.seen_places(theirs, ours):
            told.append((f"observation of player {seat}, {one.field}", *map(str, one[1:])))
    return told


def _state(data: bytes) -> np.void:
    return np.frombuffer(data, STATE)[0]
