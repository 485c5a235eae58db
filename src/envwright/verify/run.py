"""Run the levels on any pair of simulators, or on a room of the zoo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from envwright.core.executor import Executor
from envwright.core.limits import EPISODES, check_whole
from envwright.core.progress import Progress, quiet
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.divergence import GoldenPair, Spaces
from envwright.schema.names import join_options
from envwright.schema.translation import Golden, Probe
from envwright.sim.serve import call
from envwright.train.config import PPOConfig, configure
from envwright.verify.compare import Mismatch
from envwright.verify.divergence import describe, name_of
from envwright.verify.golden import compare_golden, instrumented, table
from envwright.verify.l1_properties import check_properties
from envwright.verify.l2_interactions import check_interactions
from envwright.verify.l3_rollouts import DEFAULT_POLICIES, check_rollouts
from envwright.verify.pair import Found, Pair, PairSpec, Playthrough
from envwright.verify.results import LevelResult, VerifyReport
from envwright.verify.room import RoomChecks, load_room
from envwright.verify.sampling import Sampler
from envwright.verify.tally import Tally
from envwright.verify.transfer.plan import TransferPlan, TransferRequest

if TYPE_CHECKING:
    from envwright.verify.transfer.result import TransferResult

LEVELS = (1, 2, 3)  # unless others are asked for; level 4 trains, which takes minutes
ALL_LEVELS = (1, 2, 3, 4)
SAMPLED = ("visited", "fuzzed", "boundary", "starts")  # by level 1


@dataclass(frozen=True)
class Effort:
    """How much to run. None for `episodes` and `policies`: the room's values, or defaults."""

    levels: tuple[int, ...] = LEVELS
    episodes: int | None = None
    policies: tuple[str, ...] | None = None
    visited: int = 40
    fuzzed: int = 2000
    boundary: int = 200
    starts: int = 20_000
    examples: int = 60
    transfer: TransferRequest = TransferRequest()
    options: Mapping[str, Any] = field(default_factory=dict)  # a room's own, for its probes

    @property
    def stepwise(self) -> tuple[int, ...]:
        """The levels that compare step by step; level 4 compares returns."""
        return tuple(level for level in self.levels if level < 4)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.levels) - set(ALL_LEVELS))
        if unknown or not self.levels:
            raise EnvwrightError(f"there is no level {unknown or ''}; choose from 1,2,3,4")
        if self.episodes is not None:
            check_whole("episodes", self.episodes, 1, EPISODES)


def verify_pair(
    spec: PairSpec,
    seed: int = 0,
    effort: Effort = Effort(),
    *,
    executor: Executor | None = None,
    progress: Progress = quiet,
    keep: Path | None = None,
) -> VerifyReport:
    """Run the levels on any two simulators. Divergences are saved in `keep`, if given."""
    report = VerifyReport("", "", name_of(spec.reference), name_of(spec.twin), seed)
    plan = pair_plan(effort.transfer) if 4 in effort.levels else None
    reference, twin = map(_named, (spec.reference, spec.twin)) if plan is not None else ("", "")
    pair = spec.open()
    report.notes += pair.notes
    with closing(pair):
        for level in effort.stepwise:
            result = run_level(level, pair, seed, effort, executor, progress)
            report.levels.append(_kept(result, keep))
    if plan is not None:
        report.levels.append(run_transfer(reference, twin, plan, seed, effort, executor, progress))
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
    """Run the levels on an environment of the zoo, with all checks of its `translation.toml`."""
    room = load_room(name, backend)
    effort = for_room(effort, room)
    plan = room_plan(room, effort.transfer) if 4 in effort.levels else None
    chosen = {} if room.backend == room.spec.default_backend else {"backend": room.backend}
    twin = join_options(f"envwright:{room.spec.id}", chosen)
    report = VerifyReport(room.spec.id, room.backend, room.reference, twin, seed)
    with ExitStack() as opened:
        checks = room.checks if effort.stepwise else ()
        pairs = [opened.enter_context(closing(check.open())) for check in checks]
        report.notes += [f"{pair.spec.label}: {note}" for pair in pairs for note in pair.notes]
        for level in effort.stepwise:
            result = room_level(level, room, pairs, seed, effort, executor, progress)
            report.levels.append(_kept(result, keep))
    if plan is not None:
        check = room.everyday_check
        names = (_named(check.reference), _named(check.twin))
        report.levels.append(run_transfer(*names, plan, seed, effort, executor, progress))
    return report


def run_transfer(
    reference: str,
    twin: str,
    plan: TransferPlan,
    seed: int,
    effort: Effort,
    executor: Executor | None,
    progress: Progress,
) -> TransferResult:
    """Run level 4."""
    from envwright.verify.l4_transfer import check_transfer  # it imports flax and orbax

    policies = effort.transfer.policies
    return check_transfer(
        reference, twin, plan, seed=seed, policies=policies, executor=executor, progress=progress
    )


def room_plan(room: RoomChecks, asked: TransferRequest) -> TransferPlan:
    """Return the room's plan, with the requested settings of PPO; its margin stays."""
    if room.transfer is None:
        raise EnvwrightError(
            f"{room.spec.name} has no margin for level 4; write [l4] in its translation.toml"
        )
    return replace(room.transfer, config=configure(room.transfer.config, asked.settings or {}))


def pair_plan(asked: TransferRequest) -> TransferPlan:
    """Return the default plan with the requested margin."""
    if asked.margin is None:
        raise EnvwrightError(
            "level 4 needs a margin that is fixed beforehand: add --margin, the change of mean "
            "return that does not matter to you"
        )
    return TransferPlan(
        asked.margin, "asked for beforehand", configure(PPOConfig(), asked.settings or {})
    )


def _named(simulator: Any) -> str:
    """Return the name of a simulator: level 4 also runs in other processes, which need names."""
    if not isinstance(simulator, str):
        raise EnvwrightError(
            "level 4 needs simulators by name, such as python:module:attribute, not objects"
        )
    return simulator


def room_level(
    level: int,
    room: RoomChecks,
    pairs: Sequence[Pair],
    seed: int,
    effort: Effort,
    executor: Executor | None = None,
    progress: Progress = quiet,
) -> LevelResult:
    """Run a level over all checks of a room; an episode counts once, however often compared."""
    whole = LevelResult(level)
    episodes = 0
    for pair in pairs:
        label = pair.spec.label

        def told(what: str, done: int, total: int, label: str = label) -> None:
            progress(f"{what} ({label})" if label else what, done, total)

        part = run_level(level, pair, seed, effort, executor, told)
        part.notes = [f"{label}: {note}" if label else note for note in part.notes]
        part.checks = {label: part.tally.differences}
        episodes = max(episodes, part.tally.episodes)
        whole.merge(part)
    whole.tally.episodes = episodes
    for probe in room.probes:
        if probe.level == level:
            whole.merge(_probed(probe, seed, progress, effort, room.backend))
    if level == 1:
        for golden in room.golden:
            whole.merge(check_golden(golden, pairs[0], seed))
        whole.divergences += differing_spaces(pairs)
    return whole


def _probed(
    probe: Probe, seed: int, progress: Progress, effort: Effort, backend: str
) -> LevelResult:
    """Run a room's own check with the arguments that it declares as `takes`."""
    known = {"episodes": effort.episodes, "backend": backend, **effort.options}
    given = {name: known[name] for name in probe.takes if known.get(name)}
    return load_attribute(probe.run)(seed, progress, **given)


def run_level(
    level: int,
    pair: Pair,
    seed: int,
    effort: Effort,
    executor: Executor | None = None,
    progress: Progress = quiet,
) -> LevelResult:
    """Run a level on a pair."""
    policies = _able(effort.policies or DEFAULT_POLICIES, pair)
    if level == 1:
        sizes = {name: getattr(effort, name) for name in SAMPLED}
        return check_properties(pair, seed, **sizes, policies=policies, progress=progress)
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


def _able(policies: Sequence[str], pair: Pair) -> tuple[str, ...]:
    """Return the policies that can act here: trained ones need observations in one array."""
    seen = isinstance(pair.reference.observation_space, gymnasium.spaces.Dict)
    able = tuple(p for p in policies if not (seen and p.startswith("trained:")))
    return able or DEFAULT_POLICIES


def for_room(effort: Effort, room: RoomChecks) -> Effort:
    """Complete the effort with the room's own numbers."""
    return replace(
        effort,
        episodes=effort.episodes or room.episodes,
        policies=effort.policies or room.policies,
        **{k: v for k, v in room.sizes.items() if getattr(effort, k) == getattr(Effort(), k)},
    )


def check_golden(golden: Golden, pair: Pair, seed: int, episodes: int = 20) -> LevelResult:
    """Record a function of the reference while it plays, and run ours on the same inputs."""
    with instrumented(golden.target, golden.attributes) as calls:
        Sampler(pair, seed, DEFAULT_POLICIES).visited(episodes)
    found = compare_golden(table(calls), partial(call, golden.ours), golden.tolerances)
    result = LevelResult(1, Tally(cases=len(calls)))
    result.notes.append(f"{len(calls)} golden pairs of {golden.target.rpartition(':')[2]}")
    if found is not None:
        row, inputs, mismatch = found
        where = Found(0, mismatch)
        origin = f"golden pair {row} of {golden.target}"
        given = ", ".join(f"{k} = {v}" for k, v in inputs.items())
        playthrough = Playthrough([], seed)
        result.divergences.append(
            describe(pair.spec, 1, where, playthrough, origin, f"inputs     {given}", GoldenPair)
        )
    return result


def differing_spaces(pairs: Sequence[Pair]) -> list[Spaces]:
    """Compare a room's spaces with the reference's, bounds included.

    A twin may observe in float32 if its observations have a tolerance.
    """
    for pair in pairs:
        for name in ("observation_space", "action_space"):
            ours, theirs = getattr(pair.reference, name), getattr(pair.twin, name)
            coarse = name == "observation_space" and not pair.tolerances.of("obs").exact
            if ours != theirs and not (coarse and _same_but_precision(ours, theirs)):
                mismatch = Mismatch(name.replace("_", " "), str(ours), str(theirs), "exact")
                found = Found(-1, mismatch)
                return [describe(pair.spec, 1, found, Playthrough([]), "spaces", kind=Spaces)]
    return []


def _same_but_precision(ours: gymnasium.Space, theirs: gymnasium.Space) -> bool:
    """Return whether two boxes of floats differ only in their dtype."""
    boxes = [s for s in (ours, theirs) if isinstance(s, gymnasium.spaces.Box)]
    if len(boxes) != 2 or any(box.dtype.kind != "f" for box in boxes):
        return False
    coarse = min((box.dtype for box in boxes), key=lambda dtype: dtype.itemsize)
    (low, high), (low2, high2) = ((b.low.astype(coarse), b.high.astype(coarse)) for b in boxes)
    return low.shape == low2.shape and bool(np.all(low == low2) and np.all(high == high2))


def _kept(result: LevelResult, folder: Path | None) -> LevelResult:
    if folder is not None:
        result.divergences = [d.save(folder) for d in result.divergences]
    return result
