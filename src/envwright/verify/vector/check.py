"""Check vector environments: every lane plays the game, and starts over as declared.

Each lane, before each step, is copied into a single simulator that takes the same action.
Level 2 asks whether the vector form agrees with the single form of the *same*
implementation, which is where wrappers lose transitions; level 3 asks whether it agrees
with the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from envwright.core import limits
from envwright.core.bridge import Bridge, SameNames
from envwright.core.limits import check_whole
from envwright.core.progress import Progress, quiet
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Vector
from envwright.schema.tolerance import Tol, Tolerances
from envwright.sim.records import Fields, is_over, row, without_state
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator
from envwright.sim.sizes import require_small
from envwright.sim.vector import VectorSimulator, VectorStep, open_vector
from envwright.verify.bridge import choose_bridge
from envwright.verify.character import is_stochastic, require_same_actions
from envwright.verify.compare import Mismatch, mismatches
from envwright.verify.divergence import describe, pair_spec
from envwright.verify.pair import Found, PairSpec, Playthrough
from envwright.verify.policies import find_policy
from envwright.verify.results import LevelResult, VerifyReport
from envwright.verify.traces.shrink import Search, drop_actions

LANES = 7  # a size that no other axis is likely to have
ROUND = 120  # steps of a round; doubled until some lane ends in it
LARGEST_TABLE = 1 << 26  # numbers that all lanes show in all steps, where a file names them
STARTS = 2000  # fresh starts that show where a lane may start over
LONGEST = 3840  # steps in which no lane ends: starting over cannot be seen
SHORTENING = 2000  # steps spent on making a finding shorter
OWN = Tolerances(
    Tol(atol=1e-5, ulp=8, why="a batched program may round differently from a single one")
)


@dataclass(frozen=True)
class Finding:
    """A lane that differs from a single environment."""

    lane: int
    step: int
    mismatch: Mismatch
    before: Fields
    action: Any
    hint: str


class LaneOracle:
    """A single simulator that decides what a lane should have done."""

    def __init__(
        self, single: Simulator, bridge: Bridge, tolerances: Tolerances, lane_fields: Sequence[str]
    ) -> None:
        self.single, self.bridge, self.tolerances = single, bridge, tolerances
        self.lane_fields = lane_fields
        starts = single.starts(0, STARTS)
        self.support = _support(starts)
        shown = without_state(starts)
        distinct = {_bytes(row(shown, i)) for i in range(STARTS)}
        self.starts_repeat = len(distinct) < 0.99 * STARTS  # few possible starts

    def expect(self, lane_states: Sequence[Fields], actions: np.ndarray) -> list[Fields]:
        """Return the outcome of one step from each lane's state."""
        states = [self.bridge.to_reference(state) for state in lane_states]
        return [without_state(r) for r in self.single.step_many(states, list(actions))]

    def is_start(self, obs: Fields, lane_state: Fields) -> bool:
        """Return whether an observation and its state lie within the range of fresh starts."""
        state = self.bridge.to_reference(lane_state)
        seen = obs | {f"state.{k}": np.asarray(v) for k, v in state.items()}
        return all(
            np.all((seen[k] >= low) & (seen[k] <= high))
            for k, (low, high) in self.support.items()
            if k in seen
        )


def verify_vector(
    spec: PairSpec,
    seed: int = 0,
    *,
    episodes: int = 100,
    lanes: int = LANES,
    progress: Progress = quiet,
) -> VerifyReport:
    """Run levels 2 and 3 on a vector twin; about `episodes` episodes of each."""
    if not (isinstance(spec.reference, str) and isinstance(spec.twin, str)):
        raise EnvwrightError("vector environments are compared by name, for instance gymnasium:ID")
    report = VerifyReport("", "", spec.reference, spec.twin, seed)
    for level in (2, 3):
        oracle = _oracle(level, spec)
        if oracle is None:
            unknown = f"no bridge between the states of {spec.reference} and {spec.twin}"
            report.levels.append(LevelResult(level, inconclusive=unknown))
        elif oracle.single.loads and is_stochastic(oracle.single, repeats=4, watched=False):
            many = (
                f"{oracle.single.name} gives several answers to one state and action, "
                "so that it cannot say what a lane should have done"
            )
            report.levels.append(LevelResult(level, inconclusive=many))
        else:
            report.levels.append(_check(level, spec, oracle, seed, episodes, lanes, progress))
            oracle.single.close()
            report.notes += [str(oracle.bridge)] if level == 3 else []
    return report


def _oracle(level: int, spec: PairSpec) -> LaneOracle | None:
    """Return the oracle: on level 2 the twin's own single form, else the reference."""
    assert isinstance(spec.twin, str) and isinstance(spec.reference, str)
    single = open_simulator(_without_vector_options(spec.twin))
    if spec.largest is not None:
        require_small(single, spec.largest)
    single.reset(0)
    lane_fields = list(single.state()) if single.loads else []
    if level == 2:
        return LaneOracle(single, SameNames(), OWN, lane_fields)
    reference = open_simulator(spec.reference)
    if spec.largest is not None:
        require_small(reference, spec.largest)
    require_same_actions(reference, single)
    bridge = choose_bridge(reference, single, spec.bridge)
    if bridge is None:
        return None
    return LaneOracle(reference, bridge, spec.tolerances, lane_fields)


def replay_lanes(divergence: Vector, trust: bool = False) -> Mismatch | None:
    """Replay a vector divergence; None if it no longer shows."""
    actions = [np.asarray(a) for a in divergence.actions]
    lanes = _lanes_of(actions)
    spec = pair_spec(divergence, trust)
    if spec.largest is not None:
        most = LARGEST_TABLE // max(STARTS, lanes * (len(actions) + 1))
        spec = replace(spec, largest=min(spec.largest, most))
    oracle = _oracle(divergence.level, spec)
    assert oracle is not None and isinstance(spec.twin, str)
    fresh = _opener(spec.twin, lanes, oracle)
    if divergence.resets:
        found = _differs_after_reset(fresh, divergence.seed, actions)
        return None if found is None else found[1]
    finding, _ = run_lanes(fresh(), oracle, divergence.seed, actions)
    return None if finding is None else finding.mismatch


def _lanes_of(actions: Sequence[np.ndarray]) -> int:
    """Return how many lanes take these actions. Raises unless all steps have as many."""
    counts = {len(action) if action.ndim else 0 for action in actions}
    if len(counts) != 1 or 0 in counts:
        raise EnvwrightError("a divergence of lanes needs an action for each lane in each step")
    lanes = counts.pop()
    check_whole("the number of lanes", lanes, 1, limits.PYTHON_LANES)
    return lanes


def _check(
    level: int,
    spec: PairSpec,
    oracle: LaneOracle,
    seed: int,
    episodes: int,
    lanes: int,
    progress: Progress,
) -> LevelResult:
    assert isinstance(spec.twin, str)
    result = LevelResult(level)
    fresh = _opener(spec.twin, lanes, oracle)
    vector = fresh()
    result.notes.append(f"{lanes} lanes, {vector.semantics.replace('_', ' ')} reset")
    vector.reset(seed)
    if vector.states() is None:
        result.inconclusive = f"the lanes of {spec.twin} do not show their states"
        return result
    steps, turn = ROUND, 0
    while result.tally.episodes < episodes and not result.divergences:
        vector = fresh()
        actions = _policy_actions(vector, seed + turn, turn, steps)
        finding, played = run_lanes(vector, oracle, seed + turn, actions)
        ended = int(sum(s.terminated.sum() + s.truncated.sum() for s in played))
        result.tally.steps += len(played) * lanes
        result.tally.cases = result.tally.steps
        result.tally.episodes += ended
        progress(f"level {level}, vector", min(episodes, result.tally.episodes), episodes)
        if finding is not None:
            shortest = _shorten(fresh, oracle, seed + turn, actions[: finding.step + 1])
            result.divergences.append(_describe(spec, level, seed + turn, *shortest))
        elif ended == 0 and steps == LONGEST:
            result.inconclusive = (
                f"no lane ended within {steps} steps: starting over was not seen; "
                "give both a shorter time limit (for instance ?max_episode_steps=50)"
            )
            break
        elif ended == 0:
            steps *= 2
        turn += 1
    if level == 2:
        result.divergences += _unclean_reset(spec, fresh, seed, steps)
    vector.close()
    return result


def _opener(name: str, lanes: int, oracle: LaneOracle) -> Callable[[], VectorSimulator]:
    """Return a maker of fresh vectors; one instance serves all if a reset clears everything."""
    open_new = partial(open_vector, name, lanes, list(oracle.lane_fields))
    first = open_new()
    return (lambda: first) if first.forgets else open_new


def run_lanes(
    vector: VectorSimulator, oracle: LaneOracle, seed: int, actions: Sequence[np.ndarray]
) -> tuple[Finding | None, list[VectorStep]]:
    """Play all lanes against the oracle; return the first finding, and the actions played."""
    shown = vector.reset(seed)
    waiting = np.zeros(vector.lanes, bool)  # next_step: lanes that ended and start over now
    played: list[VectorStep] = []
    starts: list[bytes] = [_bytes(row(shown, i)) for i in range(vector.lanes)]
    for t, action in enumerate(actions):
        before = vector.states()
        assert before is not None
        step = vector.step(action)
        played.append(step)
        after = vector.states()
        assert after is not None
        expected = oracle.expect(before, action)
        for lane in range(vector.lanes):
            outcome = None if waiting[lane] else expected[lane]
            problem = _lane_problem(vector, oracle, step, lane, outcome, after[lane], starts)
            if problem is not None:
                mismatch, hint = problem
                hint = hint or _lost(row(shown, lane), row(step.obs, lane), waiting)
                return Finding(lane, t, mismatch, before[lane], action[lane], hint), played
        shown = step.obs
        waiting = (step.terminated | step.truncated) & (vector.semantics == "next_step")
    return None, played


def _lane_problem(
    vector: VectorSimulator,
    oracle: LaneOracle,
    step: VectorStep,
    lane: int,
    expected: Fields | None,
    after: Fields,
    starts: list[bytes],
) -> tuple[Mismatch, str] | None:
    """Return what is wrong with a lane; `expected` is None if it starts over in this step."""
    obs = row(step.obs, lane)
    if expected is None:
        return _bad_start(oracle, obs, after, starts) or _paid_for_reset(step, lane)
    got = {
        **obs,
        "reward": step.reward[lane],
        "terminated": step.terminated[lane],
        "truncated": step.truncated[lane],
    }
    ended = is_over(expected)
    if ended and vector.semantics == "same_step":
        final = step.final_obs[lane]
        if final is None:
            return Mismatch("final_obs", "present", "missing", ""), "the final observation is lost"
        problem = _bad_start(oracle, obs, after, starts)
        if problem is not None:
            return problem
        got |= final
    differ = mismatches(expected, {k: np.asarray(v) for k, v in got.items()}, oracle.tolerances)
    return (differ[0], "") if differ else None


def _bad_start(
    oracle: LaneOracle, obs: Fields, after: Fields, starts: list[bytes]
) -> tuple[Mismatch, str] | None:
    if not oracle.is_start(obs, after):
        shown = {k: v.tolist() for k, v in {**obs, **after}.items()}
        return Mismatch("start", "a fresh start", str(shown), ""), "a lane started over elsewhere"
    if _bytes(obs) in starts and not oracle.starts_repeat:
        return Mismatch("start", "a new start", "one seen before", ""), "a start was used again"
    starts.append(_bytes(obs))
    return None


def _paid_for_reset(step: VectorStep, lane: int) -> tuple[Mismatch, str] | None:
    """Check that with next-step reset the step that starts over pays nothing."""
    quiet_step = {"reward": 0.0, "terminated": False, "truncated": False}
    for name, expected in quiet_step.items():
        got = getattr(step, name)[lane]
        if got != expected:
            return Mismatch(name, expected, got.item(), "exact"), "the step that starts over pays"
    return None


def _lost(before: Fields, after: Fields, waiting: np.ndarray) -> str:
    if all(np.array_equal(before[k], after[k]) for k in before):
        others = ", ".join(map(str, np.flatnonzero(waiting)))
        why = f" when lane {others} started over" if others else ""
        return f"the lane's transition was lost: it shows the observation of before{why}"
    return ""


def _support(table: Fields) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the range of fresh observations, widened by what a sample of this size may miss."""
    table = {k: v.astype(np.float64) for k, v in table.items() if v.dtype.kind in "biuf"}
    low = {k: v.min(axis=0) for k, v in table.items()}
    high = {k: v.max(axis=0) for k, v in table.items()}
    slack = {k: 0.02 * (high[k] - low[k]) for k in low}
    return {k: (low[k] - slack[k], high[k] + slack[k]) for k in low}


def _unclean_reset(
    spec: PairSpec, fresh: Callable[[], VectorSimulator], seed: int, steps: int
) -> list[Vector]:
    """Check that a reset leaves nothing behind: the same seed plays the same afterwards."""
    vector = fresh()
    actions = _policy_actions(vector, seed, 0, steps)
    _, ended = _watch(vector, seed, actions)
    if ended is None:
        return []
    actions = actions[: ended + 1]  # right after the end of a lane, a reset may be pending
    found = _differs_after_reset(fresh, seed, actions)
    if found is None:
        return []
    step, mismatch = found
    lane = int(mismatch.field.partition("[")[2].partition(",")[0].rstrip("]"))
    hint = "played again after its own reset: the reset left something behind"
    finding = Finding(lane, step, mismatch, {}, None, hint)
    return [_describe(spec, 2, seed, actions, finding, resets=True)]


def _differs_after_reset(
    fresh: Callable[[], VectorSimulator], seed: int, actions: Sequence[np.ndarray]
) -> tuple[int, Mismatch] | None:
    used = fresh()
    first, _ = _watch(used, seed, actions)
    second, _ = _watch(used, seed, actions)
    for t, (a, b) in enumerate(zip(first, second, strict=True)):
        differ = mismatches(a, b, Tolerances())
        if differ:
            return t - 1, differ[0]
    return None


def _watch(
    vector: VectorSimulator, seed: int, actions: Sequence[np.ndarray]
) -> tuple[list[Fields], int | None]:
    """Return what all lanes show, and the first step at which one of them ends."""
    shown, ended = [vector.reset(seed)], None
    for t, action in enumerate(actions):
        step = vector.step(action)
        shown.append(step.obs)
        if ended is None and (step.terminated | step.truncated).any():
            ended = t
    return shown, ended


def _shorten(
    fresh: Callable[[], VectorSimulator],
    oracle: LaneOracle,
    seed: int,
    actions: list[np.ndarray],
) -> tuple[list[np.ndarray], Finding]:
    """Drop actions while some lane still fails, in few tries, since each replays all lanes."""
    finding, _ = run_lanes(fresh(), oracle, seed, actions)
    assert finding is not None

    def shows(candidate: Playthrough) -> tuple[Playthrough, Finding] | None:
        found, _ = run_lanes(fresh(), oracle, seed, candidate.actions)
        if found is None or found.mismatch.field != finding.mismatch.field:
            return None
        return replace(candidate, actions=candidate.actions[: found.step + 1]), found

    playthrough = Playthrough(actions, seed)
    search = Search(
        playthrough, finding, shows, SHORTENING, cost=lambda script: len(script.actions)
    )
    drop_actions(search, size=1)
    return search.script.actions, search.found


def _describe(
    spec: PairSpec,
    level: int,
    seed: int,
    actions: list[np.ndarray],
    finding: Finding,
    resets: bool = False,
) -> Vector:
    found = Found(finding.step, finding.mismatch, finding.before)
    origin = f"vector of {len(actions[0])} lanes, seed {seed}"
    against = (
        spec if level == 3 else replace(spec, reference=_without_vector_options(str(spec.twin)))
    )
    playthrough = Playthrough(actions, seed)
    more = {"lane": finding.lane, "resets": resets}
    return describe(against, level, found, playthrough, origin, finding.hint, Vector, **more)


def _without_vector_options(name: str) -> str:
    target, _, query = name.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("auto_reset=")]
    return f"{target}?{'&'.join(kept)}" if kept else target


def _policy_actions(vector: VectorSimulator, seed: int, turn: int, steps: int) -> list:
    """Draw random actions in even rounds and held ones in odd rounds, to end early and late."""
    policy = find_policy(("random", "sticky")[turn % 2])
    rng = np.random.default_rng((seed, 4))
    memories: list[dict] = [{} for _ in range(vector.lanes)]
    space = vector.single_action_space
    return [
        np.stack([np.asarray(policy(rng, space, None, t, memory)) for memory in memories])
        for t in range(steps)
    ]


def _bytes(fields: Fields) -> bytes:
    return b"".join(np.ascontiguousarray(v).tobytes() for v in fields.values())
