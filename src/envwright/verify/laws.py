"""The law of a transition, for references that draw random numbers in their steps.

Two sides with generators of their own cannot be compared draw by draw. But from one state
and action each gives a distribution of outcomes, and those can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from scipy.stats import norm

from envwright.errors import EnvwrightError
from envwright.verify.pair import Pair
from envwright.verify.records import Fields, unstack, without_state
from envwright.verify.simulator import Simulator
from envwright.verify.stats import same_law

FAMILY_P = 1e-6  # the chance that a sound pair is accused, over all transitions together
FEW = 40  # outcomes that take no more values than this are compared as a whole
RARE = 10  # outcomes seen less often are counted together: chi-square needs some of each


@dataclass(frozen=True)
class LawDifference:
    """A state and an action whose outcomes have two laws."""

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
    """How many laws were compared, what could have been seen, and what was."""

    repeats: int
    transitions: int = 0
    tests: int = 0
    family_p: float = FAMILY_P
    differences: list[LawDifference] = field(default_factory=list)

    @property
    def threshold(self) -> float:
        """The p below which a single law is called different (Bonferroni)."""
        return self.family_p / max(1, self.tests)

    def detects(self, power: float = 0.9) -> float:
        """The error in a probability of one half that would be seen with this power."""
        reach = norm.isf(self.threshold / 2) + norm.isf(1 - power)
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
    """Whether every action from every state of the reference has one law on both sides.

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
    suspects: list[LawDifference] = []
    for state in states:
        for action in actions:
            turn = seed + report.transitions
            expected = _outcomes(pair.reference, state, action, repeats, turn)
            got = _outcomes(pair.twin, pair.bridge.to_twin(state), action, repeats, turn)
            compared = _compare(state, action, expected, got)
            report.transitions += 1
            report.tests += len(compared)
            suspects += [d for d in compared if d.p < family_p]
    report.differences = [d for d in suspects if d.p < report.threshold]
    return report


def _all_actions(space: gymnasium.Space) -> list[int]:
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise EnvwrightError(f"name the actions to compare: {space} has no finite list of them")
    return [int(space.start) + i for i in range(int(space.n))]


def _outcomes(sim: Simulator, state: Fields, action: Any, count: int, seed: int) -> list[Fields]:
    """Independent outcomes of one action from one state, without the states they lead to."""
    sample_table = getattr(sim, "sample_table", None)
    if sample_table is not None:
        return unstack(without_state(sample_table(state, action, count, seed)))
    records = []
    for _ in range(count):
        sim.load(state)
        records.append(without_state(sim.step(action)))
    return records


def _compare(
    state: Fields, action: Any, expected: list[Fields], got: list[Fields]
) -> list[LawDifference]:
    """The tests of one transition, whatever their p."""
    a, b = Counter(map(_said, expected)), Counter(map(_said, got))
    if len(a | b) <= FEW or expected[0].keys() != got[0].keys():
        outcome = max(a | b, key=lambda o: abs(a[o] - b[o]))
        shares = (f"{c[outcome]} of {len(expected)}" for c in (a, b))
        return [LawDifference(state, action, outcome, *shares, p=_same_shares(a, b))]
    return [
        LawDifference(state, action, name, _range(x), _range(y), same_law(x, y))
        for name, x, y in _columns(expected, got)
    ]


def _said(outcome: Fields) -> str:
    """An outcome in words; six digits, so that float32 and float64 say the same."""

    def value(array: np.ndarray) -> str:
        return " ".join(f"{float(x) + 0.0:.6g}" for x in np.ravel(array))

    return ", ".join(f"{name} {value(array)}" for name, array in outcome.items())


def _same_shares(a: Counter[str], b: Counter[str]) -> float:
    """p of the hypothesis that outcomes have the same shares on both sides."""
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


def _range(values: np.ndarray) -> str:
    return f"{values.min():.6g} … {values.max():.6g}, mean {values.mean():.6g}"
