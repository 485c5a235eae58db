"""Levels 1 to 3 of Pokemon TCG Pocket.

Every check records traces on the reference (`traces`) and plays them on the fast engine
(`compare`): record, mask, observations, draws after every step, exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from envwright.core.executor import Process, Serial
from envwright.core.progress import Progress, quiet
from envwright.schema.divergence import Divergence
from envwright.verify.recall import recorded_once
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.verify.traces.compare import Difference
from envwright.zoo.tcgpocket.cards import load
from envwright.zoo.tcgpocket.checks import effects, facts, games, sequences
from envwright.zoo.tcgpocket.checks.compare import CardGames, Make, differences
from envwright.zoo.tcgpocket.checks.engines import concerned, engine_for
from envwright.zoo.tcgpocket.checks.game_traces import GAMES, TWIN, Script
from envwright.zoo.tcgpocket.checks.traces import Rules, Trace
from envwright.zoo.tcgpocket.contract.state import STATE, Zone

T = TypeVar("T")
SEQUENCES = 3000
EPISODES = 10_000
CHUNK = 500  # games that a process records at a time, and that share a batch
MOST_SHOWN = 5
ELSEWHERE = 5  # states of an effect with all settings changed


def check_effects(
    seed: int = 0,
    progress: Progress = quiet,
    make: Make | None = None,
    mutant: bool = False,
    times: int = effects.TIMES,
) -> LevelResult:
    """Run level 1: every effect from random states, with every answer to its questions."""
    listed = effects.all_effects()

    def record() -> tuple[list[Trace], dict[str, int]]:
        traces, counts = [], {}
        otherwise = min(times, ELSEWHERE), sequences.OTHERWISE["all otherwise"]
        acting = effects.everything(seed, times)
        for named, some, states in _counted(acting, len(listed), progress, "effects recorded"):
            traces += [*some, *effects.traces_of(named, seed + 1, *otherwise)]
            counts[str(named)] = states
        return traces, counts

    traces, counts = _recorded(("effects", seed, times), record, mutant)
    result = LevelResult(1, Tally(cases=len(traces)))
    _compare(result, traces, make, mutant, progress, "states compared")
    seldom = {name: count for name, count in counts.items() if count < times}
    result.notes.append(
        f"{len(counts)} effects from {len(traces)} random states and answers; the one seen least "
        f"acted from {min(counts.values())} states"
    )
    if seldom:
        said = ", ".join(f"{name} ({count})" for name, count in seldom.items())
        result.inconclusive = f"effects that acted from fewer than {times} states: {said}"
    return result


def check_cards(
    seed: int = 0,
    progress: Progress = quiet,
    make: Make | None = None,
    mutant: bool = False,
    count: int = 0,
) -> LevelResult:
    """Run level 1: every number of every card (or of so many cards), where a step depends on it."""
    cards = list(load().values())
    cards = cards[:: max(1, len(cards) // count)] if count else cards
    asked = _counted(cards, len(cards), progress, "cards recorded")
    record = lambda: [trace for card in asked for trace in facts.traces(seed, [card])]  # noqa: E731
    traces = _recorded(("cards", seed, count), record, mutant)
    result = LevelResult(1, Tally(cases=len(traces)))
    _compare(result, traces, make, mutant, progress, "states compared")
    result.notes.append(f"{len(cards)} cards in {len(traces)} states that ask about their numbers")
    return result


def check_sequences(
    seed: int = 0,
    progress: Progress = quiet,
    make: Make | None = None,
    mutant: bool = False,
    count: int = SEQUENCES,
) -> LevelResult:
    """Run level 2: sequences across check-up, knock-outs, promotion, evolution, Tools, Stadiums."""
    played = _counted(sequences.traces(seed, count), count, progress, "sequences recorded")
    traces = _recorded(("sequences", seed, count), lambda: list(played), mutant)
    result = LevelResult(2, Tally(cases=len(traces)))
    _compare(result, traces, make, mutant, progress, "sequences compared")
    seen: Counter[str] = sum(map(sequences.events, traces), Counter())
    result.notes.append(
        f"{len(traces)} sequences in {len(sequences.OTHERWISE)} settings: "
        + ", ".join(f"{name} {int(seen[name])}" for name in sequences.EVENTS)
    )
    unseen = [name for name in sequences.EVENTS if not seen[name]]
    if unseen:
        result.inconclusive = f"never happened: {', '.join(unseen)}; ask for more sequences"
    return result


def check_games(
    seed: int = 0,
    progress: Progress = quiet,
    make: Make | None = None,
    mutant: bool = False,
    episodes: int = EPISODES,
) -> LevelResult:
    """Run level 3: whole games between decks that bring in every card."""
    result = LevelResult(3, Tally(episodes=episodes))
    seen = Seen()
    done = differing = 0
    chunks: Iterable[list[Trace]]
    if mutant:
        key = ("tcgpocket", "games", seed, episodes)
        chunks = recorded_once(key, lambda: list(_chunks(seed, episodes, parallel=False)))
    else:
        chunks = _chunks(seed, episodes, parallel=True)
    for traces in chunks:
        differing += _compare(result, traces, make, mutant)
        seen.add(traces)
        done += len(traces)
        progress("games compared", done, episodes)
        if mutant and differing:
            break
    result.notes.append(
        f"{episodes} whole games, {result.tally.steps} decisions: {episodes - differing} identical "
        f"to the end; {seen}"
    )
    return result


def _chunks(seed: int, episodes: int, parallel: bool) -> Iterator[list[Trace]]:
    """Yield games of the reference in order, recorded by all cores if there are many."""
    parts = [(seed, *part) for part in games.parts(episodes, CHUNK)]
    executor = Process() if parallel and episodes > CHUNK else Serial()
    return executor.map(record_games, parts)


def record_games(part: tuple[int, range, Rules]) -> list[Trace]:
    """Record the games with these numbers."""
    return list(games.traces(*part))


class Seen:
    """The cards and effects that occurred in whole games."""

    def __init__(self) -> None:
        self.cards: set[int] = set()  # that were in play, or played
        self.families: Counter[str] = Counter()
        self.ends: Counter[int] = Counter()

    def add(self, traces: Iterable[Trace]) -> None:
        """Add more games."""
        for trace in traces:
            data = np.frombuffer(b"".join(trace.records), STATE)
            for seat in (0, 1):
                side = data["players"][:, seat]
                used = (side["zone"] > Zone.DISCARD).any(axis=0)
                used |= side["zone"][-1] == Zone.DISCARD
                self.cards.update(side["cards"][0][used].tolist())
            for fired in trace.fired:
                self.families.update(fired)
            self.ends[int(data[-1]["winner"])] += 1

    def __str__(self) -> str:
        won = self.ends[1] + self.ends[2]
        return (
            f"{len(self.cards)} of {len(load())} cards were used, {len(self.families)} families "
            f"of effects acted, {won} games were won and {self.ends[3]} tied"
        )


def _counted(items: Iterable[T], total: int, progress: Progress, what: str) -> Iterator[T]:
    """Yield the items, and report each once it is done."""
    for done, item in enumerate(items, 1):
        yield item
        progress(what, done, total)


def _recorded(key: tuple[Any, ...], record: Callable[[], Any], mutant: bool) -> Any:
    """Return the reference's recording, which all mutants share."""
    return recorded_once(("tcgpocket", *key), record) if mutant else record()


def _compare(
    result: LevelResult,
    traces: list[Trace],
    make: Make | None,
    mutant: bool,
    progress: Progress = quiet,
    what: str = "",
) -> int:
    """Add differences; return how many traces differ, for a mutant at most one."""
    make = make or engine_for(mutant)
    traces = concerned(traces) if mutant else traces
    told = lambda done: progress(what, done, len(traces))  # noqa: E731
    found = differences(make, traces, 1 if mutant else len(traces), told)
    result.tally.steps += sum(len(trace.actions) for trace in traces)
    room = MOST_SHOWN - len(result.divergences)
    result.divergences += [
        divergence(result.level, one, traces[one.trace], None if mutant else make)
        for one in found[:room]
    ]
    if len(found) > room:
        result.notes.append(f"{len(found)} of {len(traces)} traces differ; {room} are shown")
    return len(found)


def divergence(level: int, one: Difference, trace: Trace, make: Make | None = None) -> Divergence:
    """Return a difference in the form of files.

    With an engine, only the last decision is kept if that alone shows a difference, too.
    """
    script = Script(trace.start, trace.actions[: one.step], trace.about)
    if make is not None and one.step:
        with GAMES.recorder() as record:
            small = GAMES.smaller(script, CardGames(make), record, budget=1)
        one, script = small or (one, script)
    return GAMES.divergence(level, one, script, TWIN)
