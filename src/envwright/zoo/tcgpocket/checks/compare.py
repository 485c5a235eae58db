"""Compare recorded traces with games on another engine.

After every step, all exact: the saved record, the mask, the observations of both players, the draws
of the step, who moves, whether the game is over, and the rewards.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

import numpy as np

from envwright.verify.compare import Mismatch
from envwright.verify.traces import compare
from envwright.verify.traces.compare import Difference, Engine, Told
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


def differences(
    make: Make, traces: Sequence[Trace], most: int = 1_000_000, told: Told = lambda done: None
) -> list[Difference]:
    """Return where an engine parts from traces, one entry a trace at most."""
    return compare.differences(CardGames(make), traces, most, told)


class CardGames(Engine[Trace]):
    """Plays traces on an engine, in their settings."""

    lanes = LANES
    batch: Batch
    known: Stacked

    def __init__(self, make: Make) -> None:
        self._make = make
        self._group: Hashable = None

    def group(self, trace: Trace) -> Hashable:
        """Group traces by settings and kind of start."""
        return trace.start.rules, bool(trace.start.record)

    def begin(self, traces: Sequence[Trace]) -> None:
        self.known = Stacked.of(list(traces))
        first = traces[0].start
        if self._group != self.group(traces[0]):
            self._group = self.group(traces[0])
            self.batch = self._make(settings_of(first.rules))
        if first.record:
            given = b"".join(trace.start.record for trace in traces)
            self.batch.load(np.frombuffer(given, self.known.records.dtype))
        else:
            decks = [trace.start.both_decks() for trace in traces]
            self.batch.new(decks, [trace.start.seed for trace in traces])

    def step(self, step: int, running: np.ndarray) -> None:
        """Play a step; lanes that have ended take any legal action."""
        actions, anything = self.known.actions[:, step], np.argmax(self.batch.masks, axis=1)
        taken = np.where(running & (actions >= 0), actions, anything)
        self.batch.step(taken.astype(np.int32))

    def differing(self, step: int) -> np.ndarray:
        batch, known = self.batch, self.known
        theirs, ours = known.records[:, step], batch.records
        lanes = len(theirs)
        raw = [
            np.ascontiguousarray(one).view(np.uint8).reshape(lanes, -1) for one in (theirs, ours)
        ]
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

    def mismatches(self, lane: int, step: int) -> list[Mismatch]:
        """Return differing values in words: the record's first, since the rest follows from it."""
        batch, known = self.batch, self.known
        theirs = known.records[lane, step]
        told: list[Mismatch] = []
        for one in words.places(theirs, batch.records[lane]):
            a, b = (words.value(one.field, number, theirs) for number in one[1:])
            told.append(Mismatch(words.field_name(one.field, theirs), a, b))
        told += _draws_apart(known.traces[lane].draws[step], batch.draws[lane])
        mask = known.masks[lane, step]
        for action in np.flatnonzero(mask != batch.masks[lane]).tolist():
            legal = ("legal", "not legal") if mask[action] else ("not legal", "legal")
            told.append(Mismatch(f"mask of {words.action_words(action, theirs)}", *legal))
        told += _others_apart(batch, theirs, lane)
        return told or _views_apart(batch, known, lane)

    def action(self, trace: Trace, step: int) -> str:
        """Describe the action with the card that it plays."""
        state = np.frombuffer(trace.records[step - 1], STATE)[0]
        return words.action_words(trace.actions[step - 1], state)


def _seen(states: np.ndarray, who: np.ndarray, settings: Settings) -> np.ndarray:
    """Return the contract's observations of saved states, int16[B, 382]."""
    return observe_many(states, who, settings).view("<i2").reshape(len(states), -1)


def _draws_apart(theirs: list, ours: list) -> list[Mismatch]:
    for place, (a, b) in enumerate(itertools.zip_longest(theirs, map(tuple, ours))):
        if a != b:
            field = f"draw {place} of the step"
            return [Mismatch(field, words.draw_words(a), words.draw_words(b))]
    return []


def _others_apart(batch: Batch, state: np.void, lane: int) -> list[Mismatch]:
    over = bool(state["stage"] == Stage.OVER)
    pairs = {
        "over": (over, bool(batch.over[lane])),
        "mover": (int(state["player"] if over else state["asked"]), int(batch.mover[lane])),
        "rewards": (REWARDS[state["winner"]].tolist(), np.asarray(batch.rewards)[lane].tolist()),
    }
    return [Mismatch(name, str(a), str(b)) for name, (a, b) in pairs.items() if a != b]


def _views_apart(batch: Batch, known: Stacked, lane: int) -> list[Mismatch]:
    """Compare observations, only where states are equal: other differences follow from those."""
    settings = settings_of(known.traces[0].start.rules)
    state = batch.records[lane : lane + 1]
    told = []
    for seat in SEATS:
        theirs = _seen(state, np.array([seat]), settings)[0]
        ours = batch.observe(np.full(len(known.traces), seat))[lane]
        for one in words.seen_places(theirs, ours):
            field = f"observation of player {seat}, {one.field}"
            told.append(Mismatch(field, str(one.reference), str(one.ours)))
    return told
