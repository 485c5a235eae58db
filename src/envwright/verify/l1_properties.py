"""Level 1: whether each step agrees by itself.

It compares one-step transitions from visited, fuzzed and boundary states, and the law of starts; of
steps, too, if the reference draws random numbers in them. A pair without state access is compared
over the first step of many episodes instead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.progress import Progress, quiet
from envwright.schema.divergence import Law, Steps
from envwright.schema.tolerance import EXACT, Tol, Tolerances
from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, stack, without_state
from envwright.verify.bridge import translated
from envwright.verify.compare import Mismatch, differences, mismatches, rows_that_differ
from envwright.verify.divergence import describe
from envwright.verify.laws import check_step_laws, range_of
from envwright.verify.pair import Found, Pair, Playthrough
from envwright.verify.results import LevelResult
from envwright.verify.sampling import Case, Sampler
from envwright.verify.shrink import shrink
from envwright.verify.stats import same_law
from envwright.verify.tally import Tally
from envwright.verify.tolerance import coarser

LAW_STARTS = 20_000
LAW_P = 1e-7  # a fixed seed decides: far below a plausible rate of false alarms


def check_properties(
    pair: Pair,
    seed: int = 0,
    *,
    visited: int = 40,
    fuzzed: int = 2000,
    boundary: int = 200,
    starts: int = LAW_STARTS,
    policies: Sequence[str] = ("random", "sticky", "boundary"),
    progress: Progress = quiet,
) -> LevelResult:
    """Run level 1 on a pair."""
    result = LevelResult(1)
    if not pair.comparable:
        result.inconclusive = pair.why_not
    elif pair.transplants and not pair.stochastic:
        cases = sample_cases(pair, seed, visited, fuzzed, boundary, policies, progress)
        result.merge(compare_cases(pair, cases, level=1))
        result.notes.append(_count_origins(cases))
    else:
        result.merge(first_steps(pair, seed, episodes=max(50, visited)))
    if starts:
        result.divergences += compare_start_laws(pair, seed, starts)
        if pair.stochastic and pair.transplants and not pair.same_dice:
            notes, differ = check_step_laws(pair, seed, starts // 20)
            result.notes += notes
            result.divergences += differ
    progress("level 1", 1, 1)
    return result


def sample_cases(
    pair: Pair,
    seed: int,
    visited: int,
    fuzzed: int,
    boundary: int,
    policies: Sequence[str],
    progress: Progress = quiet,
) -> list[Case]:
    """Record the cases of level 1 from the reference."""
    sampler = Sampler(pair, seed, policies)
    seen = sampler.visited(visited)
    progress("level 1: states", 1, 4)
    fuzz = sampler.fuzzed(seen, fuzzed)
    progress("level 1: fuzzed states", 2, 4)
    edge = sampler.boundary(seen, boundary)
    progress("level 1: boundary states", 3, 4)
    return seen + fuzz + edge


def compare_cases(pair: Pair, cases: Sequence[Case], level: int) -> LevelResult:
    """Step the twin from every case's state at once and compare all fields."""
    assert pair.bridge is not None
    result = LevelResult(level, Tally(cases=len(cases), steps=len(cases)))
    if not cases:
        return result
    states = [pair.bridge.to_twin(case.state) for case in cases]
    try:
        expected = stack([c.outcome for c in cases])
        got = step_all(pair, states, [c.action for c in cases])
    except Exception as error:  # the twin's, or states whose shapes vary
        at_once = _can_be_stacked(cases)
        if at_once and not pair.shrinks:
            raise  # only whether it differs matters
        result.divergences += _one_by_one(pair, cases, level)
        if at_once and not result.divergences:
            result.inconclusive = (
                f"{pair.twin.name} raised {type(error).__name__} ({error}) for many states at "
                "once, and for none of them alone; step it in smaller batches to find which"
            )
        return result
    result.tally.see(differences(expected, got))
    for row in rows_that_differ(expected, got, pair.tolerances):
        if not _reproduces(pair, cases[row]):
            result.inconclusive = (
                f"{pair.reference.name} does not continue from one of its own states as it did "
                f"({cases[row].origin}): part of its state is hidden; give --bridge or a Simulator"
            )
            continue
        found = _recheck(pair, cases[row], {k: v[row] for k, v in got.items()})
        if found is None:
            result.tally.near_boundary += 1
            continue
        result.divergences.append(_shrunk(pair, cases[row], found, level))
        break  # the first is enough: it is shrunk and saved; the rest follow from it
    return result


def _can_be_stacked(cases: Sequence[Case]) -> bool:
    try:
        stack([c.outcome for c in cases]), stack([c.state for c in cases])
    except ValueError:
        return False
    return True


def step_all(pair: Pair, states: Sequence[Fields], actions: Sequence[Any]) -> Fields:
    """Step the twin from many states; return a table in the reference's format."""
    assert pair.bridge is not None
    step_table = getattr(pair.twin, "step_table", None)
    if step_table is not None:  # this saves splitting and stacking the table
        return translated(pair.bridge, step_table(states, actions))
    records = pair.twin.step_many(states, actions)
    return stack([translated(pair.bridge, record) for record in records])


def _reproduces(pair: Pair, case: Case) -> bool:
    """Return whether the reference, put back into the case's state, answers as it did."""
    pair.reference.load(case.state)
    return not mismatches(case.outcome, pair.reference.step(case.action), Tolerances(EXACT))


def _recheck(pair: Pair, case: Case, got: Fields) -> Found | None:
    """Return the difference as a finding, unless rounding explains it."""
    pair.reference.load(case.state)
    if pair.explained_by_rounding(case.state, case.action, got):
        return None
    worst = mismatches(case.outcome, got, pair.tolerances)[0]
    return Found(0, worst, case.state, case.outcome, got)


def _shrunk(pair: Pair, case: Case, found: Found, level: int) -> Steps:
    playthrough = Playthrough([case.action], start=case.state)
    again = pair.run(playthrough)
    if again is not None:
        playthrough, found = shrink(pair, playthrough, again)
    return describe(pair.spec, level, found, playthrough, case.origin)


def _one_by_one(pair: Pair, cases: Sequence[Case], level: int) -> list[Steps]:
    """Compare cases one by one, up to the first that differs."""
    for case in cases:
        playthrough = Playthrough([case.action], start=case.state)
        found = pair.run(playthrough)
        if found is not None:
            playthrough, found = shrink(pair, playthrough, found)
            return [describe(pair.spec, level, found, playthrough, case.origin)]
    return []


def first_steps(pair: Pair, seed: int, episodes: int) -> LevelResult:
    """Compare the first steps of many episodes, for pairs without state access or with chance."""
    result = LevelResult(1)
    rng = np.random.default_rng((seed, 3))
    for episode in range(episodes):
        action = draw_action(rng, pair.reference.action_space)
        playthrough = Playthrough([action], seed + episode)
        found = pair.run(playthrough)
        result.tally.cases += 1
        result.tally.steps += 1
        if found is not None:
            playthrough, found = shrink(pair, playthrough, found)
            result.divergences.append(describe(pair.spec, 1, found, playthrough, "first step"))
            break
    return result


def compare_start_laws(pair: Pair, seed: int, count: int) -> list[Law]:
    """Compare the law of fresh starts, element by element."""
    expected = pair.reference.starts(seed, _affordable(pair, seed, count))
    try:
        found = start_laws_differ(expected, pair, seed)
    except Exception as error:
        return [_law_raised(pair, error, seed)]
    return [] if found is None else [_law_divergence(pair, *found, seed)]


def start_laws_differ(
    expected: Fields, pair: Pair, seed: int
) -> tuple[str, np.ndarray, np.ndarray, float] | None:
    """Return the first element of observation or state whose law differs: name, samples, and p."""
    count = len(next(iter(expected.values())))
    got = pair.twin.starts(seed, count)
    got = without_state(got) if pair.bridge is None else _translated_starts(pair, got)
    for name, values in expected.items():
        if name not in got or got[name].shape != values.shape:
            continue  # the steps report a difference in shape
        coarse = _coarse(values, got[name], pair.tolerances.of(name))
        a, b = (x.reshape(count, -1) for x in coarse)
        for column in range(a.shape[1]):
            p = same_law(a[:, column], b[:, column])
            if p < LAW_P:
                return f"{name}[{column}]", a[:, column], b[:, column], p
    return None


def _translated_starts(pair: Pair, got: Fields) -> Fields:
    assert pair.bridge is not None
    try:
        return translated(pair.bridge, got)
    except Exception:  # a bridge that takes one state at a time
        return without_state(got)


def _coarse(a: np.ndarray, b: np.ndarray, tol: Tol) -> tuple[np.ndarray, np.ndarray]:
    """Round both samples to the grid of the coarser dtype and of the tolerance.

    A start from few places then has one law on both sides, however it is rounded.
    """
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return a, b
    dtype = coarser(a.dtype, b.dtype)
    grid = max(tol.atol, float(np.finfo(dtype).eps)) * 4
    return np.round(a.astype(dtype) / grid), np.round(b.astype(dtype) / grid)


def _affordable(pair: Pair, seed: int, count: int) -> int:
    """Return fewer starts if they are slow or large; 1,000 still detect a law that is 10 % off."""
    began = time.monotonic()
    few = pair.reference.starts(seed, 20)
    slow = time.monotonic() - began > 20 * 0.005
    large = sum(v.nbytes for v in few.values()) / 20 > 10_000
    return min(count, 1000) if slow or large else count


def _law_divergence(
    pair: Pair, name: str, a: np.ndarray, b: np.ndarray, p: float, seed: int
) -> Law:
    where, ranges = f"law of {name} at reset", (range_of(a), range_of(b))
    found = Found(-1, Mismatch(where, *ranges, f"p >= {LAW_P:g}"))
    origin = f"{len(a)} starts of each, p = {p:.3g}"
    return describe(pair.spec, 1, found, Playthrough([], seed), origin, kind=Law)


def _law_raised(pair: Pair, error: Exception, seed: int) -> Law:
    mismatch = Mismatch("reset", "a start", "an exception", "")
    found = Found(-1, mismatch, raised=f"{type(error).__name__}: {error}")
    return describe(pair.spec, 1, found, Playthrough([], seed), "starts", kind=Law)


def _count_origins(cases: Sequence[Case]) -> str:
    kinds = [c.origin if c.origin in ("fuzzed", "boundary") else "visited" for c in cases]
    return ", ".join(f"{kinds.count(k)} {k}" for k in ("visited", "fuzzed", "boundary")) + " states"
