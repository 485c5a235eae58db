"""Steps of a reference, recorded so that a twin is tested where the reference is not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from envwright.core.array_file import read_arrays
from envwright.core.bridge import SameNames
from envwright.errors import EnvwrightError
from envwright.sim.records import Fields, row, stack
from envwright.sim.resolve import as_simulator
from envwright.verify.bridge import choose_bridge, translated
from envwright.verify.compare import mismatches, rows_that_differ
from envwright.verify.l1_properties import sample_cases, step_all
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import Pair, PairSpec

START, ACTION, EXPECTED = "start.", "action", "expected."
EPISODES, FUZZED, BOUNDARY = 10, 500, 50


def record_steps(pair: Pair, seed: int = 0) -> Fields | None:
    """Record single steps from visited, fuzzed and boundary states, as a table.

    Steps in which the twin differs are left out: there, rounding decides next to a threshold,
    and only the reference can tell. Returns None for a pair whose steps cannot be repeated from
    a state: one without state access, with random steps, or with a bridge that was inferred.
    """
    named = pair.spec.bridge is not None or isinstance(pair.bridge, SameNames)
    if pair.bridge is None or pair.stochastic or not named:
        return None
    cases = sample_cases(pair, seed, EPISODES, FUZZED, BOUNDARY, DEFAULT_POLICIES)
    starts = [pair.bridge.to_twin(case.state) for case in cases]
    actions = [case.action for case in cases]
    expected = stack([case.outcome for case in cases])
    differ = rows_that_differ(expected, step_all(pair, starts, actions), pair.tolerances)
    told = np.setdiff1d(np.arange(len(cases)), differ)
    table = {
        **{f"{START}{name}": value for name, value in stack(starts).items()},
        ACTION: np.stack([np.asarray(action) for action in actions]),
        **{f"{EXPECTED}{name}": value for name, value in expected.items()},
    }
    return {name: value[told] for name, value in table.items()}


def compare_recorded(spec: PairSpec, file: Path) -> tuple[int, str]:
    """Step a twin from every recorded state.

    Returns the number of steps, and the first difference or an empty string.
    """
    try:
        table = read_arrays(file)
        actions = [*table[ACTION]]
    except (OSError, ValueError, KeyError) as error:
        raise EnvwrightError(f"{file} does not hold recorded steps: {error}") from error
    starts, expected = _below(START, table), _below(EXPECTED, table)
    with as_simulator(spec.twin) as twin:
        bridge = SameNames() if spec.bridge is None else choose_bridge(twin, twin, spec.bridge)
        assert bridge is not None
        records = twin.step_many([row(starts, i) for i in range(len(actions))], actions)
        got = stack([translated(bridge, record) for record in records])
    differ = rows_that_differ(expected, got, spec.tolerances)
    if not differ.size:
        return len(actions), ""
    first = int(differ[0])
    found = mismatches(row(expected, first), row(got, first), spec.tolerances)
    start = ", ".join(f"{name} = {value}" for name, value in row(starts, first).items())
    return len(actions), f"{found[0]}\n  after action {actions[first]} from {start}"


def _below(prefix: str, table: Fields) -> Fields:
    return {k.removeprefix(prefix): v for k, v in table.items() if k.startswith(prefix)}
