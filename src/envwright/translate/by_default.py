"""Judge code with the default dtype, where every check sets another one.

Training makes an environment with its defaults, in single precision. A check in double precision
compares the rules exactly and says nothing of other numbers: code may start elsewhere, draw other
random numbers, or be another environment there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from envwright.schema.divergence import Divergence
from envwright.schema.tolerance import Tol, Tolerances
from envwright.schema.translation import Check
from envwright.sim.records import stack
from envwright.translate.spec import TranslationSpec
from envwright.verify.compare import mismatches, rows_that_differ
from envwright.verify.divergence import describe
from envwright.verify.l1_properties import compare_start_laws, step_all
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.laws import check_step_laws
from envwright.verify.pair import Found, Pair, Playthrough
from envwright.verify.run import Effort
from envwright.verify.sampling import Sampler

EPISODES = 20
MOST = 0.01  # of steps that differ although no state nearby explains it: rounding adds up
# As far as two precisions may part in one step: a hundredth of a number, or absolutely.
CLOSE = Tolerances(Tol(1e-2, 2**17, why="another precision"))
# Starts from few places, which rounding does not move across the lines of this grid.
PLACES = Tolerances(Tol(2.71828e-4, why="another precision"))
DIGITS = 4
DOUBLE = "float64"


def unchecked_defaults(spec: TranslationSpec) -> Iterator[Check]:
    """Yield checks in double precision with the default dtype instead, unless there is one."""
    others = [_rest(c.options) for c in spec.checks if c.options.get("dtype") != DOUBLE]
    for check in spec.checks:
        rest = _rest(check.options)
        if check.options.get("dtype") == DOUBLE and rest not in others:
            yield structs.replace(check, options=rest)


def _rest(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "dtype"}


def check_coarsely(pair: Pair, seed: int, effort: Effort) -> Divergence | None:
    """Compare the laws of starts and steps, and steps that draw nothing, but for rounding."""
    pair.tolerances = PLACES
    found: list[Any] = []
    if effort.starts:
        found += compare_start_laws(pair, seed, effort.starts)
    if not found and pair.transplants:
        if not pair.stochastic:
            episodes = min(EPISODES, effort.visited)
            found = _steps_that_differ(pair, seed, episodes) if episodes else []
        elif effort.starts and not pair.same_dice:
            found = list(check_step_laws(pair, seed, effort.starts // 20, DIGITS)[1])
    return found[0] if found else None


def _steps_that_differ(pair: Pair, seed: int, episodes: int) -> list[Divergence]:
    """Return the first of many steps that rounding, here and nearby, does not explain."""
    assert pair.bridge is not None
    cases = Sampler(pair, seed, DEFAULT_POLICIES).visited(episodes)
    expected = stack([case.outcome for case in cases])
    states = [pair.bridge.to_twin(case.state) for case in cases]
    got = step_all(pair, states, [case.action for case in cases])
    pair.tolerances = CLOSE
    found = []
    for row in rows_that_differ(expected, got, CLOSE):
        case, outcome = cases[row], {name: value[row] for name, value in got.items()}
        if not pair.explained_by_rounding(case.state, case.action, outcome):
            found.append((case, outcome))
    if len(found) <= MOST * len(cases):
        return []
    case, outcome = found[0]
    worst = mismatches(case.outcome, outcome, CLOSE)[0]
    where = Found(0, worst, case.state, case.outcome, outcome)
    playthrough = Playthrough([case.action], start=case.state)
    return [describe(pair.spec, 1, where, playthrough, f"{len(found)} of {len(cases)} steps")]
