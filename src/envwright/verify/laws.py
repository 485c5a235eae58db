"""Compare the law of transitions, for references that draw random numbers in their steps.

Two sides with generators of their own cannot be compared draw by draw. But from one state
and action each gives a distribution of outcomes, and those can be compared.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import scipy

from envwright.errors import EnvwrightError
from envwright.schema.divergence import Law
from envwright.schema.tolerance import Tolerances
from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, is_over, unstack, without_state
from envwright.sim.simulator import Simulator
from envwright.verify.compare import Mismatch
from envwright.verify.divergence import describe
from envwright.verify.pair import Found, Pair, Playthrough
from envwright.verify.stats import same_law

FAMILY_P = 1e-6  # the rate of false alarms, over all transitions together
FEW = 40  # outcomes that take no more values than this are compared as a whole
RARE = 10  # outcomes seen less often are counted together: chi-square needs some of each
GRID = 1e-5  # share of the largest value: floats that differ by less are equal
DIGITS = 6  # of a number, so that float32 and float64 read the same
PLACES, MOVES = 6, 3  # states that level 1 looks at, and actions from each
PATIENCE = 2.0  # seconds that a reference may take for them; a slow one is asked less often
FEWEST = 100  # outcomes of a transition, below which nothing is said


@dataclass(frozen=True)
class LawDifference:
    """A state and an action whose outcomes differ in law."""

    state: Fields
    action: Any
    what: str  # the outcome whose share differs most, or the element of an observation
    reference: str
    twin: str
    p: float

    def __str__(self) -> str:
        start = ", ".join(f"{k} = {v.tolist()}" for k, v in self.state.items())
        return (
            f"action {self.action} from {start}: {self.what}: "
            f"reference {self.reference}, twin {self.twin} (p = {self.p:.3g})"
        )


@dataclass
class LawReport:
    """The number of compared laws, the error that they would detect, and the differences."""

    repeats: int
    transitions: int = 0
    tests: int = 0
    family_p: float = FAMILY_P
    digits: int = DIGITS
    differences: list[LawDifference] = field(default_factory=list)

    @property
    def threshold(self) -> float:
        """The p below which a single law counts as different (Bonferroni)."""
        return self.family_p / max(1, self.tests)

    def detects(self, power: float = 0.9) -> float:
        """Return the error in a probability of one half that is detected with this power."""
        reach = scipy.stats.norm.isf(self.threshold / 2) + scipy.stats.norm.isf(1 - power)
        return float(reach * np.sqrt(0.5 / self.repeats))

    def __str__(self) -> str:
        said = (
            f"{self.transitions} transitions, {self.repeats} outcomes of each: "
            f"{len(self.differences)} laws differ (p < {self.threshold:.2g}; "
            f"a probability that is off by {self.detects():.2g} is seen)"
        )
        return "\n".join([said, *map(str, self.differences)])


def compare_transition_laws(
    pair: Pair,
    states: Sequence[Fields],
    actions: Sequence[Any] | None = None,
    *,
    repeats: int = 1000,
    seed: int = 0,
    family_p: float = FAMILY_P,
) -> LawReport:
    """Compare the law of every action from every state of the reference.

    Observation, reward, terminated and truncated are compared: as a whole where they take
    few values, else element by element. `actions` default to all of a Discrete space.
    """
    if pair.bridge is None:
        raise EnvwrightError("laws are compared from equal states: the pair needs a bridge")
    if actions is None:
        actions = _all_actions(pair.reference.action_space)
    report = LawReport(repeats, family_p=family_p)
    pair.reference.reset(seed)
    pair.twin.reset(seed)
    _compare_all(pair, report, [(state, action) for state in states for action in actions], seed)
    return report


def _compare_all(
    pair: Pair, report: LawReport, cases: Sequence[tuple[Fields, Any]], seed: int
) -> None:
    """Count every transition in the report, and add those whose law differs."""
    assert pair.bridge is not None
    compared: list[LawDifference] = []
    for turn, (state, action) in enumerate(cases, seed):
        expected = _outcomes(pair.reference, state, action, report.repeats, turn)
        got = _outcomes(pair.twin, pair.bridge.to_twin(state), action, report.repeats, turn)
        expected, got = _within_tolerance(expected, got, pair.tolerances)
        compared += _compare(state, action, expected, got, report.digits)
    report.transitions, report.tests = len(cases), len(compared)
    report.differences = [d for d in compared if d.p < report.threshold]


def check_step_laws(
    pair: Pair, seed: int, repeats: int, digits: int = DIGITS
) -> tuple[list[str], list[Law]]:
    """Compare the step laws of a twin that draws for itself; return notes and differences.

    Levels 2 and 3 feed it the reference's draws and so cannot notice. Numbers are equal if so many
    digits are.
    """
    cases = _visited(pair, seed)
    affordable = int(PATIENCE / (len(cases) * _seconds_for_a_step(pair, *cases[0])))
    if min(repeats, affordable) < FEWEST:
        return ["the reference is too slow for the law of its steps to be compared"], []
    report = LawReport(min(repeats, affordable), digits=digits)
    pair.twin.reset(seed)
    _compare_all(pair, report, cases, seed)
    told = f"law of steps: {str(report).splitlines()[0]}"
    return [told], [_divergence(pair, d, report, seed) for d in report.differences[:1]]


def _visited(pair: Pair, seed: int) -> list[tuple[Fields, Any]]:
    """Yield states on the way of random episodes, with some actions each."""
    reference, rng = pair.reference, np.random.default_rng((seed, 5))
    reference.reset(seed)
    states = [reference.state()]
    for episode in range(1, 10 * PLACES):
        if len(states) >= PLACES:
            break
        for _ in range(int(rng.integers(1, 8))):
            before = reference.state()
            if is_over(reference.step(draw_action(rng, reference.action_space))):
                states.append(before)  # where chance may end it
                reference.reset(seed + episode)
        states.append(reference.state())
    return [(state, action) for state in states[:PLACES] for action in _some_actions(pair, rng)]


def _some_actions(pair: Pair, rng: np.random.Generator) -> list[Any]:
    space = pair.reference.action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return list(rng.permutation(_all_actions(space))[:MOVES])
    return [draw_action(rng, space) for _ in range(MOVES)]


def _seconds_for_a_step(pair: Pair, state: Fields, action: Any) -> float:
    """Return the time of the quickest of some steps: a busy machine is not a slow reference."""
    taken = []
    for _ in range(20):
        began = time.perf_counter()
        _outcomes(pair.reference, state, action, 1, 0)
        taken.append(time.perf_counter() - began)
    return max(1e-9, min(taken))


def _divergence(pair: Pair, law: LawDifference, report: LawReport, seed: int) -> Law:
    what = f"law of {law.what} after a step"
    mismatch = Mismatch(what, law.reference, law.twin, f"p >= {report.threshold:.2g}")
    playthrough = Playthrough([law.action], seed, law.state)
    origin = f"{report.repeats} outcomes of each side, p = {law.p:.3g}"
    return describe(pair.spec, 1, Found(0, mismatch, law.state), playthrough, origin, kind=Law)


def _all_actions(space: gymnasium.Space) -> list[int]:
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise EnvwrightError(f"name the actions to compare: {space} has no finite list of them")
    return [int(space.start) + i for i in range(int(space.n))]


def _outcomes(sim: Simulator, state: Fields, action: Any, count: int, seed: int) -> list[Fields]:
    """Return independent outcomes of one action from one state, without the next states."""
    sample_table = getattr(sim, "sample_table", None)
    if sample_table is not None:
        return unstack(without_state(sample_table(state, action, count, seed)))
    records = []
    for _ in range(count):
        sim.load(state)
        records.append(without_state(sim.step(action)))
    return records


def _within_tolerance(
    expected: list[Fields], got: list[Fields], tolerances: Tolerances
) -> tuple[list[Fields], list[Fields]]:
    """Return both sides with floats made equal that the declared tolerances take for equal."""
    if tolerances.exact or expected[0].keys() != got[0].keys():
        return expected, got
    sides = [list(expected), list(got)]
    for name in expected[0]:
        tolerance = tolerances.of(name)
        columns = [np.stack([np.asarray(record[name]) for record in side]) for side in sides]
        if tolerance.exact or not all(c.dtype.kind == "f" for c in columns):
            continue
        dtype = min((c.dtype for c in columns), key=lambda d: d.itemsize)
        values = np.unique(np.concatenate([np.ravel(c) for c in columns]).astype(np.float64))
        ends = values + tolerance.reach(values, dtype)
        snapped, start = values.copy(), 0
        for place in range(len(values)):
            if not values[place] <= ends[start]:
                start = place
            snapped[place] = values[start]
        for side, column in zip(sides, columns, strict=True):
            made = snapped[np.searchsorted(values, column.astype(np.float64))]
            side[:] = [{**record, name: value} for record, value in zip(side, made, strict=True)]
    return sides[0], sides[1]


def _compare(
    state: Fields, action: Any, expected: list[Fields], got: list[Fields], digits: int
) -> list[LawDifference]:
    """Return the tests of one transition, whatever their p."""
    a, b = (Counter(_described(each, digits) for each in side) for side in (expected, got))
    if len(a | b) <= FEW or expected[0].keys() != got[0].keys():
        outcome = max(a | b, key=lambda o: abs(a[o] - b[o]))
        shares = (f"{c[outcome]} of {len(expected)}" for c in (a, b))
        return [LawDifference(state, action, outcome, *shares, p=_same_shares(a, b))]
    return [
        LawDifference(state, action, name, range_of(x), range_of(y), same_law(*_coarse(x, y)))
        for name, x, y in _columns(expected, got)
    ]


def _described(outcome: Fields, digits: int) -> str:
    """Describe an outcome, with so many digits of its numbers."""

    def value(array: np.ndarray) -> str:
        return " ".join(f"{float(x) + 0.0:.{digits}g}" for x in np.ravel(array))

    return ", ".join(f"{name} {value(array)}" for name, array in outcome.items())


def _same_shares(a: Counter[str], b: Counter[str]) -> float:
    """Return p of the hypothesis that outcomes have the same shares on both sides."""
    common = sorted(o for o in a | b if a[o] + b[o] >= RARE)
    number = {outcome: i for i, outcome in enumerate(common, start=1)}
    codes = (np.array([number.get(o, 0) for o in c.elements()]) for c in (a, b))
    return same_law(*codes)


def _columns(expected: list[Fields], got: list[Fields]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    columns = []
    for name in expected[0]:
        a, b = (np.stack([np.ravel(r[name]) for r in rows]) for rows in (expected, got))
        columns += [(f"{name}[{i}]", a[:, i], b[:, i]) for i in range(a.shape[1])]
    return columns


def _coarse(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round both samples to one grid, whose edges avoid decimal fractions."""
    if a.dtype.kind != "f":
        return a, b
    grid = GRID * max(np.abs(a).max(), np.abs(b).max(), np.finfo(np.float32).tiny)
    return np.floor(a / grid + 0.37), np.floor(b / grid + 0.37)


def range_of(values: np.ndarray) -> str:
    """Describe the extremes and the mean of a sample."""
    return f"{values.min():.6g} … {values.max():.6g}, mean {values.mean():.6g}"
