"""Recordings of the reference: starts, actions, and everything after each of them.

A trace holds plain numbers only, so that it travels between processes and outlives modules that
are imported anew for a mutant.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import PADDED, Ask
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import SIZE, STATE
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.reference import Game

Draw = tuple[int, int, int]  # purpose, possibilities (0: a whole word), result
Choose = Callable[[Game, random.Random], int]
Rules = tuple[Any, ...]  # the values of `Settings`, in order
DEFAULT: Rules = tuple(getattr(Settings(), one.name) for one in fields(Settings))


def settings_of(rules: Rules) -> Settings:
    """Return settings from their values."""
    return Settings(*rules)


@dataclass(frozen=True)
class Start:
    """The start of a game: a saved record, or two decks and a seed."""

    rules: Rules = DEFAULT
    record: bytes = b""
    decks: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()  # cards and types of both
    seed: int = 0

    def open(self) -> Game:
        """Open the game on the reference, up to its first decision."""
        if self.record:
            return Game.load(self.record, settings_of(self.rules))
        return Game.new(self.both_decks(), self.seed, settings_of(self.rules))

    def both_decks(self) -> tuple[Deck, Deck]:
        """Return the decks as engines take them."""
        mine, other = (Deck("recorded", cards, types) for cards, types in self.decks)
        return mine, other


@dataclass
class Trace:
    """A game or a piece of one: index 0 is the start, index i follows action i - 1."""

    start: Start
    about: str  # what it was made for
    actions: list[int] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)
    masks: list[bytes] = field(default_factory=list)  # 128 bits each
    draws: list[list[Draw]] = field(default_factory=list)
    fired: list[tuple[str, ...]] = field(default_factory=list)  # families of effects

    def see(self, game: Game, before: int) -> None:
        """Record the current state of a game; `before` is the number of recorded draws."""
        self.records.append(game.save())
        self.masks.append(np.packbits(game.mask()).tobytes())
        self.draws.append(game.log[before:])
        self.fired.append(tuple(game.fired))

    @property
    def length(self) -> int:
        """How many actions it has."""
        return len(self.actions)


def record(start: Start, about: str, choose: Choose, seed: int, most: int = 10_000) -> Trace:
    """Let the reference play from a start, with a player, for so many decisions."""
    rng = random.Random(seed)
    return _played(start, about, lambda game: choose(game, rng), most)


def replayed(start: Start, about: str, actions: Sequence[int]) -> Trace:
    """Record the trace of given actions; the first illegal one ends it."""
    given = iter(actions)

    def choose(game: Game) -> int | None:
        action = next(given)
        return action if action in game.legal else None

    return _played(start, about, choose, len(actions))


def _played(start: Start, about: str, choose: Callable[[Game], int | None], most: int) -> Trace:
    game, trace = start.open(), Trace(start, about)
    trace.see(game, 0)
    while not game.over and len(trace.actions) < most:
        before, action = len(game.log), choose(game)
        if action is None:
            break
        game.step(action)
        trace.actions.append(action)
        trace.see(game, before)
    return trace


def answers(start: Start, about: str, action: int, most: int = 12) -> Iterator[Trace]:
    """Record every way to answer the questions of an action, up to so many; none if it is illegal.

    A way ends in the free part of a turn, or in another turn.
    """
    waiting, found = [[action]], 0
    while waiting and found < most:
        actions = waiting.pop()
        trace = replayed(start, about, actions)
        if len(trace.actions) < len(actions):
            continue
        state = np.frombuffer(trace.records[-1], STATE)[0]
        before = np.frombuffer(trace.records[0], STATE)[0]
        asked = state["ask"] not in (Ask.NOTHING, Ask.MAIN) and state["turn"] == before["turn"]
        if asked:
            waiting += [[*actions, option] for option in reversed(_legal(trace.masks[-1]))]
        else:
            found += 1
            yield trace


def _legal(mask: bytes) -> list[int]:
    return np.flatnonzero(np.unpackbits(np.frombuffer(mask, np.uint8))).tolist()


@dataclass(frozen=True)
class Stacked:
    """Traces side by side, the short ones padded with their ends: [lanes, steps + 1]."""

    traces: list[Trace]
    records: np.ndarray  # STATE[B, T + 1]
    masks: np.ndarray  # bool[B, T + 1, 128]
    actions: np.ndarray  # int32[B, T], -1 beyond the end
    lengths: np.ndarray  # int[B]: actions

    @classmethod
    def of(cls, traces: list[Trace]) -> Stacked:
        """Stack traces of any lengths."""
        lengths = np.array([len(trace.actions) for trace in traces])
        steps = int(lengths.max(initial=0))
        rows = [b"".join(t.records) + t.records[-1] * (steps - len(t.actions)) for t in traces]
        bits = [b"".join(t.masks) + t.masks[-1] * (steps - len(t.actions)) for t in traces]
        records = np.frombuffer(b"".join(rows), STATE).reshape(len(traces), steps + 1)
        packed = np.frombuffer(b"".join(bits), np.uint8)
        masks = np.unpackbits(packed).reshape(len(traces), steps + 1, PADDED).astype(bool)
        actions = np.full((len(traces), steps), -1, np.int32)
        for lane, trace in enumerate(traces):
            actions[lane, : len(trace.actions)] = trace.actions
        assert records.dtype.itemsize == SIZE
        return cls(traces, records, masks, actions, lengths)
