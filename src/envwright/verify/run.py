"""Runs the levels: on any pair of simulators, or on a room of the zoo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envwright.core.executor import Executor
from envwright.core.registry import load_attribute
from envwright.errors import EnvwrightError
from envwright.verify.compare import Mismatch
from envwright.verify.divergence import Divergence, describe, name_of
from envwright.verify.golden import compare_golden, instrumented, table
from envwright.verify.l1_properties import check_properties
from envwright.verify.l2_interactions import check_interactions
from envwright.verify.l3_rollouts import POLICIES, check_rollouts
from envwright.verify.pair import Found, Pair, PairSpec, Program
from envwright.verify.results import LevelResult, Progress, VerifyReport, quiet
from envwright.verify.room import GoldenSpec, Room, load_room
from envwright.verify.sampling import Sampler
from envwright.verify.tally import Tally
from envwright.verify.tolerance import Tolerances

LEVELS = (1, 2, 3)


@dataclass(frozen=True)
class Effort:
    """How much is done. `episodes` and `policies` None: what the room says, or the default."""

    levels: tuple[int, ...] = LEVELS
    episodes: int | None = None
    policies: tuple[str, ...] | None = None
    visited: int = 40
    fuzzed: int = 2000
    boundary: int = 200
    starts: int = 20_000
    examples: int = 60

    def __post_init__(self) -> None:
        unknown = sorted(set(self.levels) - set(LEVELS))
        if unknown or not self.levels:
            raise EnvwrightError(f"there is no level {unknown or ''}; choose from 1,2,3")
        if self.episodes is not None and self.episodes < 1:
            raise EnvwrightError(f"episodes must be at least 1, not {self.episodes}")


def verify_pair(
    spec: PairSpec,
    seed: int = 0,
    effort: Effort = Effort(),
    *,
    executor: Executor | None = None,
    progress: Progress = quiet,
    keep: Path | None = None,
) -> VerifyReport:
    """Levels 1 to 3 of any two simulators. Divergences are saved in `keep`, if given."""
    report = VerifyReport("", "", name_of(spec.reference), name_of(spec.twin), seed)
    pair = spec.open()
    try:
        report.notes += pair.notes
        for level in effort.levels:
            result = run_level(level, pair, seed, effort, executor, progress)
            report.levels.append(_kept(result, keep))
    finally:
        pair.close()
    return report


def verify_room(
    name: str,
    backend: str | None = None,
    seed: int = 0,
    effort: Effort = Effort(),
    *,
    executor: Executor | None = None,
    progress: Progress = quiet,
    keep: Path | None = None,
) -> VerifyReport:
    """Levels 1 to 3 of an environment of the zoo, all checks of its `translation.toml`."""
    room = load_room(name, backend)
    effort = for_room(effort, room)
    twin = f"envwright:{room.spec.id}"
    report = VerifyReport(room.spec.id, room.backend, room.spec.reference, twin, seed)
    pairs = [check.open() for check in room.checks]
    try:
        for pair in pairs:
            report.notes += [f"{pair.spec.label}: {note}" for note in pair.notes]
        for level in effort.levels:
            result = room_level(level, room, pairs, seed, effort, executor, progress)
            report.levels.append(_kept(result, keep))
    finally:
        for pair in pairs:
            pair.close()
    return report


def room_level(
    level: int,
    room: Room,
    pairs: Sequence[Pair],
    seed: int,
    effort: Effort,
    executor: Executor | None = None,
    progress: Progress = quiet,
) -> LevelResult:
    """One level over all checks of a room; an episode counts once, however often compared."""
    whole = LevelResult(level)
    episodes = 0
    for pair in pairs:
        label = pair.spec.label

        def told(what: str, done: int, total: int, label: str = label) -> None:
            progress(f"{what} ({label})" if label else what, done, total)

        part = run_level(level, pair, seed, effort, executor, told)
        part.notes = [f"{label}: {note}" if label else note for note in part.notes]
        episodes = max(episodes, part.tally.episodes)
        whole.merge(part)
    whole.tally.episodes = episodes
    if level == 1:
        for golden in room.golden:
            whole.merge(check_golden(golden, pairs[0], seed))
        whole.divergences += differing_spaces(pairs)
    return whole


def run_level(
    level: int,
    pair: Pair,
    seed: int,
    effort: Effort,
    executor: Executor | None = None,
    progress: Progress = quiet,
) -> LevelResult:
    """One level of one pair."""
    policies = effort.policies or POLICIES
    if level == 1:
        return check_properties(
            pair,
            seed,
            visited=effort.visited,
            fuzzed=effort.fuzzed,
            boundary=effort.boundary,
            starts=effort.starts,
            policies=policies,
            progress=progress,
        )
    if level == 2:
        return check_interactions(pair, seed, examples=effort.examples, progress=progress)
    return check_rollouts(
        pair.spec,
        seed,
        episodes=effort.episodes or 100,
        policies=policies,
        executor=executor,
        progress=progress,
        pair=pair,
    )


def for_room(effort: Effort, room: Room) -> Effort:
    """The effort with the room's own numbers where none were asked for."""
    return replace(
        effort,
        episodes=effort.episodes or room.episodes,
        policies=effort.policies or room.policies,
        **{k: v for k, v in room.sizes.items() if getattr(effort, k) == getattr(Effort(), k)},
    )


def check_golden(golden: GoldenSpec, pair: Pair, seed: int, episodes: int = 20) -> LevelResult:
    """Record a function of the reference while it plays, and ours on the same inputs."""
    with instrumented(golden.target, golden.attributes) as calls:
        Sampler(pair, seed, POLICIES).visited(episodes)
    found = compare_golden(table(calls), load_attribute(golden.ours), Tolerances())
    result = LevelResult(1, Tally(cases=len(calls)))
    result.notes.append(f"{len(calls)} golden pairs of {golden.target.rpartition(':')[2]}")
    if found is not None:
        row, inputs, mismatch = found
        where = Found(0, mismatch, None, {}, {})
        origin = f"golden pair {row} of {golden.target}, module {golden.module}"
        given = ", ".join(f"{k} = {v}" for k, v in inputs.items())
        program = Program([], seed)
        result.divergences.append(
            describe(pair.spec, 1, where, program, origin, f"inputs     {given}", "golden")
        )
    return result


def differing_spaces(pairs: Sequence[Pair]) -> list[Divergence]:
    """A room promises the reference's spaces, bounds included."""
    for pair in pairs:
        for name in ("observation_space", "action_space"):
            ours, theirs = getattr(pair.reference, name), getattr(pair.twin, name)
            if ours != theirs:
                mismatch = Mismatch(name.replace("_", " "), str(ours), str(theirs), "exact")
                found = Found(-1, mismatch, None, {}, {})
                return [describe(pair.spec, 1, found, Program([]), "spaces", kind="spaces")]
    return []


def _kept(result: LevelResult, folder: Path | None) -> LevelResult:
    if folder is not None:
        result.divergences = [d.save(folder) for d in result.divergences]
    return result
