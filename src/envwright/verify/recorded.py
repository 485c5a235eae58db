"""Answers of a reference, recorded so that a twin is tested where the reference is not installed.

A file is a table with a row for each step: the twin's state before it, the action, the random
numbers that the reference drew, and its answer. Steps of an episode stand one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.array_file import read_arrays
from envwright.core.bridge import Bridge, SameNames
from envwright.core.text import told
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tolerances
from envwright.sim.records import (
    Fields,
    as_state,
    is_over,
    row,
    stack,
    state_of,
    unstack,
    without_state,
)
from envwright.sim.resolve import as_simulator
from envwright.sim.simulator import Simulator
from envwright.verify.bridge import choose_bridge, translated
from envwright.verify.compare import mismatches, rows_that_differ
from envwright.verify.l1_properties import sample_cases
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import Pair, PairSpec
from envwright.verify.policies import find_policy

START, ACTION, NOISE, EXPECTED = "start.", "action", "noise.", "expected."
EPISODE = "episode"  # the number of a row's episode, from 0; SINGLE for a step by itself
BEGIN_NOISE, BEGIN_EXPECTED = "begin.noise.", "begin.expected."  # a row for each episode
TWINS = "twins"  # the answers hold the state as the twin does, not as the reference does
SINGLE = -1
KINDS = "biufU"  # of dtypes
VISITED, FUZZED, BOUNDARY = 10, 500, 50
EPISODES, LONGEST = 10, 300


@dataclass
class _Step:
    """A step of the reference."""

    state: Fields
    action: Any
    noise: Fields
    outcome: Fields
    episode: int = SINGLE


@dataclass
class _Begin:
    """How an episode of the reference begins."""

    noise: Fields
    record: Fields


def record_answers(pair: Pair, seed: int = 0) -> Fields | None:
    """Record steps from visited, fuzzed and boundary states, and whole episodes, as a table.

    Steps in which the twin differs are left out: there, rounding decides next to a threshold,
    and only the reference can tell. Returns None for a pair whose steps cannot be repeated from
    a state: one without state access, with draws that the twin cannot follow, or with a bridge
    that was inferred.
    """
    named = pair.spec.bridge is not None or isinstance(pair.bridge, SameNames)
    followed = pair.follows_steps and hasattr(pair.bridge, "step_noise")
    if pair.bridge is None or not named or (pair.stochastic and not followed):
        return None
    try:
        begins, steps = _episodes(pair, seed)
        cases = sample_cases(pair, seed, VISITED, FUZZED, BOUNDARY, DEFAULT_POLICIES)
        for case in cases:
            pair.reference.load(case.state)
            outcome = pair.step_reference(case.action)
            steps.append(_Step(case.state, case.action, _step_noise(pair), outcome))
        return _only_agreeing(pair, _table(pair.bridge, begins, steps))
    except ValueError:  # noise whose shape varies, or that is no array
        return None


def _episodes(pair: Pair, seed: int) -> tuple[list[_Begin], list[_Step]]:
    """Play some episodes in the reference, on states that the twin can hold."""
    bridge: Any = pair.bridge
    begins, steps = [], []
    for number in range(EPISODES):
        record = pair.reference.reset(seed + number)
        if pair.starts_by == "draws" and hasattr(bridge, "start_noise"):
            noise = bridge.start_noise(pair.reference.draws())
            begins.append(_Begin(_named(noise), record))
        policy = find_policy(DEFAULT_POLICIES[number % len(DEFAULT_POLICIES)])
        rng, memory, obs = np.random.default_rng((seed + number, 4)), {}, record.get("obs")
        for time in range(LONGEST):
            state = pair.representable(pair.reference.state())
            if not pair.tolerances.exact or time == 0:
                pair.reference.load(state)
            action = policy(rng, pair.reference.action_space, obs, time, memory)
            outcome = pair.step_reference(action)
            steps.append(_Step(state, action, _step_noise(pair), outcome, number))
            obs = outcome.get("obs")
            if is_over(outcome):
                break
    return begins, steps


def _step_noise(pair: Pair) -> Fields:
    """Return the draws of the reference's last step as the twin takes them."""
    bridge: Any = pair.bridge
    return _named(bridge.step_noise(pair.reference.draws())) if pair.stochastic else {}


def _named(noise: Any) -> Fields:
    """Return noise as columns: a dict of arrays, or one array without a name."""
    named = noise if isinstance(noise, dict) else {"": noise}
    return {str(name): np.asarray(value) for name, value in named.items()}


def _noise(columns: Fields, index: int) -> Any:
    """Return a row of such columns as the twin takes it."""
    named = row(columns, index)
    return named.get("", named)


def _table(bridge: Bridge, begins: Sequence[_Begin], steps: Sequence[_Step]) -> Fields:
    def twins(record: Fields) -> Fields:
        return without_state(record) | as_state(bridge.to_twin(state_of(record)))

    def same(record: Fields) -> Fields:
        return record

    try:
        shown: Callable[[Fields], Fields] = same
        expected = stack(shown(step.outcome) for step in steps)
    except ValueError:  # lists of the reference, which are padded in the twin
        shown = twins
        expected = stack(shown(step.outcome) for step in steps)
    return {
        TWINS: np.asarray(shown is twins),
        EPISODE: np.array([step.episode for step in steps]),
        ACTION: np.stack([np.asarray(step.action) for step in steps]),
        **_above(START, stack(bridge.to_twin(step.state) for step in steps)),
        **_above(NOISE, stack(step.noise for step in steps)),
        **_above(EXPECTED, expected),
        **_above(BEGIN_NOISE, stack(begin.noise for begin in begins)),
        **_above(BEGIN_EXPECTED, stack(shown(begin.record) for begin in begins)),
    }


def _only_agreeing(pair: Pair, table: Fields) -> Fields:
    """Leave out rows in which the twin differs; what is left of their episodes are single steps."""
    bridge, episode = _words(pair.bridge or SameNames(), table), table[EPISODE]
    differ = rows_that_differ(
        _below(EXPECTED, table), _single_steps(pair.twin, bridge, table), pair.tolerances
    )
    broken = np.isin(episode, episode[differ])
    table = table | {EPISODE: np.where(broken, SINGLE, episode)}
    kept = np.setdiff1d(np.arange(len(episode)), differ)
    return {
        name: value if name == TWINS or name.startswith("begin.") else value[kept]
        for name, value in table.items()
    }


def compare_recorded(spec: PairSpec, file: Path) -> tuple[int, str]:
    """Step a twin from every recorded state, and through every recorded episode.

    Returns the number of steps, and the first difference or an empty string.
    """
    table = _read(file)
    count = len(table[ACTION])
    with as_simulator(spec.twin) as twin:
        chosen = SameNames() if spec.bridge is None else choose_bridge(twin, twin, spec.bridge)
        assert chosen is not None
        bridge = _words(chosen, table)
        try:
            got, expected = _single_steps(twin, bridge, table), _below(EXPECTED, table)
            differ = rows_that_differ(expected, got, spec.tolerances)
            if not differ.size:
                return count, _episodes_differ(twin, bridge, table, spec)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise EnvwrightError(
                f"the steps in {file} do not fit {twin.name}: {told(error)}"
            ) from error
    first = int(differ[0])
    found = mismatches(row(expected, first), row(got, first), spec.tolerances)
    start = ", ".join(f"{k} = {v}" for k, v in row(_below(START, table), first).items())
    return count, f"{found[0]}\n  after action {table[ACTION][first]} from {start}"


def _read(file: Path) -> Fields:
    """Read a table of steps, whose columns go together."""
    try:
        table = read_arrays(file)
        _check(table)
    except (OSError, ValueError, KeyError) as error:
        raise EnvwrightError(f"{file} does not hold recorded steps: {error}") from error
    return table


def _check(table: Fields) -> None:
    for name, column in table.items():
        if column.dtype.kind not in KINDS:
            raise ValueError(f"{name} holds {column.dtype}")
    steps = {n: c for n, c in table.items() if n.startswith((START, NOISE, EXPECTED))}
    steps |= {n: table[n] for n in (ACTION, EPISODE) if n in table}
    begins = {n: c for n, c in table.items() if n.startswith((BEGIN_NOISE, BEGIN_EXPECTED))}
    for columns in (steps, begins):
        lengths = {column.shape[:1] for column in columns.values()}
        if () in lengths or len(lengths) > 1:
            raise ValueError(f"its columns are not of one length: {', '.join(columns)}")
    if np.shape(table.get(TWINS, False)) or table.get(TWINS, np.False_).dtype.kind != "b":
        raise ValueError(f"{TWINS} is neither true nor false")
    if not len(table[ACTION]):
        raise ValueError("it has no steps")
    numbers = table.get(EPISODE, np.zeros(0, int))
    most = min((len(column) for column in begins.values()), default=len(table[ACTION]))
    if numbers.ndim > 1 or numbers.dtype.kind != "i":
        raise ValueError("its episodes are not numbered")
    if numbers.size and (numbers.min() < SINGLE or numbers.max() >= most):
        raise ValueError("it has steps of an episode that does not begin")


def _words(bridge: Bridge, table: Fields) -> Bridge:
    """Return the bridge from the twin's states to the recorded ones."""
    return SameNames() if table.get(TWINS, False) else bridge


def _single_steps(twin: Simulator, bridge: Bridge, table: Fields) -> Fields:
    """Step the twin from every state by itself; return a table in the words of the record."""
    states, actions = unstack(_below(START, table)), [*table[ACTION]]
    noise = _below(NOISE, table)
    if noise:
        _follow(twin)
        records = []
        for index, (state, action) in enumerate(zip(states, actions, strict=True)):
            twin.load(state)
            records.append(twin.step_with(action, _noise(noise, index)))
    else:
        records = twin.step_many(states, actions)
    return stack(translated(bridge, record) for record in records)


def _episodes_differ(twin: Simulator, bridge: Bridge, table: Fields, spec: PairSpec) -> str:
    """Play the recorded episodes without setting a state on the way, where that is judged."""
    if not (spec.tolerances.exact if spec.free_running is None else spec.free_running):
        return ""
    episode = table.get(EPISODE, np.zeros(0, int))
    starts, expected = _below(START, table), _below(EXPECTED, table)
    noise = _below(NOISE, table)
    for number in sorted({*episode.tolist()} - {SINGLE}):
        rows = np.flatnonzero(episode == number)
        found = _differs_at_start(twin, bridge, table, number, spec.tolerances)
        if found:
            return f"{found}\n  at the start of recorded episode {number}"
        if not _below(BEGIN_NOISE, table):
            twin.load(row(starts, int(rows[0])))
        for time, index in enumerate(map(int, rows)):
            action = table[ACTION][index]
            if noise:
                record = twin.step_with(action, _noise(noise, index))
            else:
                record = twin.step(action)
            got = translated(bridge, record)
            if differ := mismatches(row(expected, index), got, spec.tolerances):
                return f"{differ[0]}\n  at step {time} of recorded episode {number}"
    return ""


def _differs_at_start(
    twin: Simulator, bridge: Bridge, table: Fields, number: int, tolerances: Tolerances
) -> str:
    """Start a recorded episode on its draws, if it has any; return what differs."""
    noise, expected = _below(BEGIN_NOISE, table), _below(BEGIN_EXPECTED, table)
    if not noise:
        return ""
    _follow(twin)
    record = twin.reset_with(_noise(noise, number))
    differ = mismatches(row(expected, number), translated(bridge, record), tolerances)
    return str(differ[0]) if differ else ""


def _follow(twin: Simulator) -> None:
    """Let a twin take recorded noise as it is."""
    if not hasattr(twin, "follow"):
        raise EnvwrightError(f"{twin.name} cannot follow recorded draws; it needs start and draw")
    twin.follow(lambda noise: noise, lambda noise: noise)  # type: ignore[attr-defined]


def _above(prefix: str, table: Fields) -> Fields:
    return {f"{prefix}{name}": value for name, value in table.items()}


def _below(prefix: str, table: Fields) -> Fields:
    return {k.removeprefix(prefix): v for k, v in table.items() if k.startswith(prefix)}
