"""Try golden pairs and tolerances on the reference itself before proposing them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

import numpy as np

from envwright.errors import EnvwrightError
from envwright.schema.tolerance import EXACT, Tolerances
from envwright.sim.records import Fields, is_over, state_of
from envwright.translate.goldens import EPISODES
from envwright.translate.proposal.played import Field
from envwright.translate.proposal.shaking import reach_of
from envwright.verify.compare import mismatches
from envwright.verify.golden import Call, instrumented, table
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import Pair, PairSpec
from envwright.verify.policies import find_policy
from envwright.verify.sampling import Case, Sampler

FUZZED, BOUNDARY = 300, 8
STEPS = 150  # most steps of an episode
FEWEST = 20  # calls that are worth recording
SHAKEN = 60  # usual steps to repeat from a slightly changed state
TAME = 3  # times the usual
NEAR, FAR = 5e-7, 1e-3  # shares of the largest value: inputs that are one, outputs that are two
WITHIN = 12  # calls between two that a bisection brought together


@dataclass(frozen=True)
class Wanted:
    """A function that may have golden pairs."""

    target: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recorded:
    """Description of a function's golden pairs."""

    attributes: tuple[str, ...]
    inputs: dict[str, Field]
    outputs: dict[str, Field]
    jumps: frozenset[str]  # outputs that the last digit of an input may decide


@dataclass
class Rehearsal:
    """Findings of a rehearsal.

    A reach states how far a relative error of 1 would move a field of a step: `usual` from states
    that may occur, `wild` from any state, `of_action` for an error of the action.
    """

    recorded: dict[str, Recorded] = field(default_factory=dict)  # by target
    usual: dict[str, float] = field(default_factory=dict)
    wild: dict[str, float] = field(default_factory=dict)
    of_action: dict[str, float] = field(default_factory=dict)
    leaves: set[np.dtype] = field(default_factory=set)  # dtypes of floats that steps leave behind
    ends: bool = False  # an episode was seen to terminate
    goes_on: bool = False  # steps from finished or impossible states work too

    @property
    def tame(self) -> bool:
        """Whether errors do not run away in states that cannot occur."""
        return all(reach <= TAME * self.usual[name] for name, reach in self.wild.items())


def rehearse(simulator: str, wanted: Sequence[Wanted]) -> Rehearsal:
    """Record as a translation would, on a small scale."""
    found = Rehearsal()
    with closing(PairSpec(simulator, simulator).open()) as pair:
        with ExitStack() as opened:
            calls = {
                w.target: opened.enter_context(instrumented(w.target, w.attributes)) for w in wanted
            }
            cases = _cases(pair)
        for w in wanted:
            recorded = _recorded(w, calls[w.target])
            if recorded is not None:
                found.recorded[w.target] = recorded
        found.ends = any(c.outcome["terminated"].all() for c in cases)
        states = [v for c in cases for v in state_of(c.outcome).values()]
        found.leaves = {v.dtype for v in states if v.dtype.kind == "f"}
        if pair.transplants and not pair.stochastic:
            _measure(pair, cases, found)
    return found


def _measure(pair: Pair, cases: Sequence[Case], found: Rehearsal) -> None:
    visited = [case for case in cases if case.origin == "visited"]
    some = [case for case in cases if case.origin != "visited"]
    some += visited[:: max(1, len(visited) // SHAKEN)]
    anywhere = copy.copy(pair)
    anywhere.spec = replace(pair.spec, include_terminal=True)
    wild = Sampler(anywhere, 0, DEFAULT_POLICIES).fuzzed(visited, FUZZED)
    found.usual = reach_of(pair.reference, some, "state")
    beyond = reach_of(pair.reference, wild, "state")
    found.wild = {n: max(reach, beyond.get(n, 0.0)) for n, reach in found.usual.items()}
    found.of_action = reach_of(pair.reference, some, "action")
    found.goes_on = found.ends and found.tame and _goes_on(pair, cases)


def _cases(pair: Pair) -> list[Case]:
    visited = [case for episode in range(EPISODES) for case in _episode(pair, episode)]
    sampler = Sampler(pair, 0, DEFAULT_POLICIES)
    if not pair.transplants or pair.stochastic:
        return visited
    return visited + sampler.fuzzed(visited, FUZZED) + sampler.boundary(visited, BOUNDARY)


def _episode(pair: Pair, seed: int) -> list[Case]:
    """Play the first steps of an episode, since some references never end one."""
    policy = find_policy(DEFAULT_POLICIES[seed % len(DEFAULT_POLICIES)])
    reference, rng, memory = pair.reference, np.random.default_rng((seed, 2)), {}
    record = reference.reset(seed)
    cases: list[Case] = []
    for t in range(STEPS):
        state = state_of(record)
        action = policy(rng, reference.action_space, record.get("obs"), t, memory)
        record = pair.step_reference(action)
        cases.append(Case(state, action, record, "visited"))
        if is_over(record):
            break
    return cases


# --- golden pairs ----------------------------------------------------------------------------


def _recorded(wanted: Wanted, calls: list[Call]) -> Recorded | None:
    """Return the columns of the pairs, or None if the calls are not a table of numbers."""
    if len(calls) < FEWEST:
        return None
    try:
        inputs, outputs = table(calls)
    except EnvwrightError:
        return None
    columns = (*inputs.values(), *outputs.values())
    if not inputs or not outputs or any(c.dtype.kind not in "biuf" for c in columns):
        return None
    return Recorded(
        wanted.attributes,
        {name: _column(name, column) for name, column in inputs.items()},
        {name: _column(name, column) for name, column in outputs.items()},
        frozenset(_jumps(inputs, outputs)),
    )


def _column(name: str, values: np.ndarray) -> Field:
    column = Field(name)
    column.take(values)
    column.shapes = {values.shape[1:]}
    column.values = {float(v) for v in np.unique(values)[:9]} if values.ndim == 1 else set()
    return column


def _jumps(inputs: Fields, outputs: Fields) -> set[str]:
    """Return outputs that differ between calls with nearly equal inputs.

    The boundary states come from bisection, so such calls are close together.
    """
    found: set[str] = set()
    rows = len(next(iter(inputs.values())))
    for apart in range(1, min(WITHIN, rows)):
        alike = np.ones(rows - apart, bool)
        for column in inputs.values():
            alike &= ~_apart(column, apart, NEAR)
        if alike.any():
            found |= {n for n, c in outputs.items() if (_apart(c, apart, FAR) & alike).any()}
    return found


def _apart(column: np.ndarray, apart: int, share: float) -> np.ndarray:
    """Return which rows differ from those `apart` after them; floats by more than a share."""
    flat = column.reshape(len(column), -1)
    here, there = flat[:-apart], flat[apart:]
    if column.dtype.kind != "f":
        return (here != there).any(axis=1)
    return (np.abs(here - there) > share * np.abs(flat).max(initial=0.0)).any(axis=1)


def _goes_on(pair: Pair, cases: Sequence[Case]) -> bool:
    """Return whether steps after the end succeed, twice with equal results."""
    reference = pair.reference
    for case in [c for c in cases if c.outcome["terminated"].all()][:20]:
        try:
            answers: list[Fields] = []
            for _ in range(2):
                reference.load(state_of(case.outcome))
                answers.append(reference.step(case.action))
        except Exception:
            return False
        if mismatches(answers[0], answers[1], Tolerances(EXACT)):
            return False
    return True
