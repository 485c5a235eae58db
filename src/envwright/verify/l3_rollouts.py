"""Level 3: whether whole episodes agree.

Teacher-forced, where every step starts from the reference's state, and free-running, where
both only share the start and the actions. Episodes are recorded from the reference once and
compared in bulk; they may be spread over an executor, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from envwright.core.executor import Executor, Serial, split_evenly
from envwright.core.progress import Progress, quiet
from envwright.schema.divergence import Divergence, Steps
from envwright.sim.records import Fields, is_over, pad, stack
from envwright.sim.simulator import TwinRaised
from envwright.verify.bridge import translated
from envwright.verify.compare import Mismatch, mismatches, rows_that_differ
from envwright.verify.divergence import UNSTEADY, describe
from envwright.verify.l1_properties import compare_cases
from envwright.verify.pair import Found, Pair, PairSpec, Playthrough
from envwright.verify.policies import find_policy
from envwright.verify.results import LevelResult
from envwright.verify.sampling import LONGEST, STALE, Case, Met, play
from envwright.verify.shrink import shrink
from envwright.verify.tally import Tally

CHUNK = 50  # episodes recorded and compared together
DEFAULT_POLICIES = ("random", "sticky", "alternating", "boundary")


@dataclass
class Chunk:
    """The outcome of one batch of episodes; it can be pickled."""

    tally: Tally = field(default_factory=Tally)
    divergences: list[Divergence] = field(default_factory=list)
    left_at: list[int] = field(default_factory=list)  # free-running: first step out of tolerance
    inconclusive: str = ""
    endless: int = 0  # episodes that nothing ended


def check_rollouts(
    spec: PairSpec,
    seed: int = 0,
    *,
    episodes: int = 100,
    policies: Sequence[str] = DEFAULT_POLICIES,
    executor: Executor | None = None,
    progress: Progress = quiet,
    pair: Pair | None = None,
) -> LevelResult:
    """Run level 3 on a pair, with `episodes` shared out among the policies."""
    result = LevelResult(3)
    opened = pair or spec.open()
    if not opened.comparable:
        result.inconclusive = opened.why_not
        return result
    jobs = [(seed + i, policies[i % len(policies)]) for i in range(episodes)]
    executor = executor or Serial()
    parts = max(1, -(-len(jobs) // CHUNK))
    work = partial(_run_chunk, spec, opened if isinstance(executor, Serial) else None)
    left_at: list[int] = []
    endless = 0
    for done, chunk in enumerate(executor.map(work, split_evenly(jobs, parts))):
        result.tally.add(chunk.tally)
        result.divergences += chunk.divergences[: 1 - len(result.divergences)]
        left_at += chunk.left_at
        result.inconclusive = result.inconclusive or chunk.inconclusive
        endless += chunk.endless
        progress("level 3", min(episodes, (done + 1) * CHUNK), episodes)
    if pair is None:
        opened.close()
    result.notes.append(f"episodes of {', '.join(policies)}")
    result.notes += _say_drift(opened, left_at)
    if endless:
        result.notes.append(
            f"{endless} episodes were left without an end: after {LONGEST:,} steps, or after "
            f"{STALE:,} in which no step was new"
        )
    if not opened.transplants:
        result.notes.append("free-running only: states cannot be set")
    return result


def _run_chunk(spec: PairSpec, pair: Pair | None, jobs: Sequence[tuple[int, str]]) -> Chunk:
    pair = pair or _opened(spec)
    if pair.stochastic or not pair.transplants:
        return _one_by_one(pair, jobs)
    met: Met = set()
    recorded = [play(pair, seed, policy, met) for seed, policy in jobs]
    return compare_episodes(pair, recorded, [seed for seed, _ in jobs])


_OPEN: dict[str, Pair] = {}


def _opened(spec: PairSpec) -> Pair:
    """Open the pair in a worker once; it serves every chunk."""
    if repr(spec) not in _OPEN:
        _OPEN[repr(spec)] = spec.open()
    return _OPEN[repr(spec)]


def compare_episodes(pair: Pair, recorded: Sequence[Sequence[Case]], seeds: Sequence[int]) -> Chunk:
    """Compare recorded episodes with the twin, in bulk."""
    cases = [case for episode in recorded for case in episode]
    forced = compare_cases(pair, cases, level=3)
    chunk = Chunk(forced.tally, list(forced.divergences), inconclusive=forced.inconclusive)
    chunk.tally.cases, chunk.tally.episodes = 0, len(recorded)
    chunk.endless = sum(not is_over(episode[-1].outcome) for episode in recorded)
    if chunk.divergences and not pair.shrinks:
        return chunk  # only whether it differs matters
    chunk.divergences += _differing_start(pair, seeds)
    if not (pair.shrinks or _judges_free_running(pair)):
        return chunk  # how far they run alike is not reported
    chunk.left_at, free = _run_free(pair, recorded)
    if _judges_free_running(pair) and not (chunk.divergences or chunk.inconclusive):
        chunk.divergences += free
    return chunk


def _judges_free_running(pair: Pair) -> bool:
    asked = pair.spec.free_running
    return pair.tolerances.exact if asked is None else asked


def _differing_start(pair: Pair, seeds: Sequence[int]) -> list[Steps]:
    """Return the first difference in what both sides show at matching starts."""
    for seed in seeds:
        playthrough = Playthrough([], seed)
        found = pair.run(playthrough)
        if found is not None:
            return [describe(pair.spec, 3, found, playthrough, f"start, seed {seed}")]
    return []


def _run_free(pair: Pair, recorded: Sequence[Sequence[Case]]) -> tuple[list[int], list[Steps]]:
    """Return per episode the first step out of tolerance (or its length); and a divergence."""
    left_at = _left_in_bulk(pair, recorded) or [_left_alone(pair, e) for e in recorded]
    parted = (e for e, step in zip(recorded, left_at, strict=True) if step < len(e))
    return left_at, [_free_divergence(pair, episode) for episode in islice(parted, 1)]


def _left_in_bulk(pair: Pair, recorded: Sequence[Sequence[Case]]) -> list[int]:
    """Return where each episode leaves the tolerance; empty if they cannot be run together."""
    if not hasattr(pair.twin, "run_table"):
        return []
    try:
        tables = _free_tables(pair, recorded)
        expected = [stack([c.outcome for c in episode]) for episode in recorded]
    except (ValueError, TwinRaised):  # states whose shapes vary; a twin that fails somewhere
        return []
    rows = [rows_that_differ(a, b, pair.tolerances) for a, b in zip(expected, tables, strict=True)]
    return [
        int(r[0]) if len(r) else len(episode) for r, episode in zip(rows, recorded, strict=True)
    ]


def _left_alone(pair: Pair, episode: Sequence[Case]) -> int:
    """Return where one episode leaves the tolerance, or raises."""
    step = 0
    try:
        pair.sync(episode[0].state)
        for step, case in enumerate(episode):
            if mismatches(case.outcome, pair.step_twin(case.action), pair.tolerances):
                return step
    except TwinRaised:
        return step
    return len(episode)


def _free_divergence(pair: Pair, episode: Sequence[Case]) -> Steps:
    playthrough = Playthrough([c.action for c in episode], start=episode[0].state)
    found = pair.run(playthrough)
    origin, hint = f"free-running, {episode[0].origin}", ""
    if found is None:
        never_again = Mismatch("the episode", "the same twice", "different once", "")
        found, hint = Found(len(episode) - 1, never_again), UNSTEADY
    elif _judges_free_running(pair):
        playthrough, found = shrink(pair, playthrough, found)
    return describe(pair.spec, 3, found, playthrough, origin, hint)


def _free_tables(pair: Pair, recorded: Sequence[Sequence[Case]]) -> list[Fields]:
    """Return the twin's outcomes of each episode, run freely from its start."""
    assert pair.bridge is not None
    lengths = [len(episode) for episode in recorded]
    starts = [pair.bridge.to_twin(episode[0].state) for episode in recorded]
    longest = 1 << (max(lengths) - 1).bit_length()  # few lengths, few compilations
    actions = np.stack([pad(np.asarray([c.action for c in e]), longest) for e in recorded])
    table = pair.twin.run_table(starts, actions)  # type: ignore[attr-defined]
    rows = [{k: v[i, :n] for k, v in table.items()} for i, n in enumerate(lengths)]
    return [translated(pair.bridge, row) for row in rows]


def _one_by_one(pair: Pair, jobs: Sequence[tuple[int, str]]) -> Chunk:
    """Step both side by side: for stochastic references, and pairs without states."""
    chunk = Chunk()
    for seed, policy_name in jobs:
        playthrough = _live_playthrough(pair, seed, policy_name)
        found = pair.run(playthrough)
        chunk.tally.episodes += 1
        chunk.tally.steps += len(playthrough.actions)
        chunk.endless += pair.reference.time_limit is None and len(playthrough.actions) == LONGEST
        if found is not None and not chunk.divergences:
            playthrough, found = shrink(pair, playthrough, found)
            origin = f"{policy_name} policy, seed {seed}"
            chunk.divergences.append(describe(pair.spec, 3, found, playthrough, origin))
    return chunk


def _live_playthrough(pair: Pair, seed: int, policy_name: str) -> Playthrough:
    """Return the actions that a policy takes in the reference."""
    policy, rng, memory = find_policy(policy_name), np.random.default_rng((seed, 2)), {}
    record = pair.reference.reset(seed)
    actions: list[Any] = []
    while len(actions) < (pair.reference.time_limit or LONGEST):
        space = pair.reference.action_space
        actions.append(policy(rng, space, record.get("obs"), len(actions), memory))
        record = pair.step_reference(actions[-1])
        if is_over(record):
            break
    return Playthrough(actions, seed)


def _say_drift(pair: Pair, left_at: Sequence[int]) -> list[str]:
    """Note how long free-running episodes stayed within the tolerance, if that is not judged."""
    if _judges_free_running(pair) or not left_at:
        return []
    return [
        "free-running is reported, not judged (rounding grows along an episode): half of the "
        f"{len(left_at)} episodes stayed within tolerance for {int(np.median(left_at))} steps "
        "or more"
    ]
