"""Mutation: seed bugs in the fast environment and find the level that catches each."""

from __future__ import annotations

import difflib
import importlib.resources
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import TYPE_CHECKING

import jax

from envwright.core.bridge import Bridge
from envwright.core.executor import Executor, Process, Serial, WorkerDied
from envwright.core.progress import Progress, quiet
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.results import Mutation, Noticed, Proved, Survivor
from envwright.schema.translation import Equivalent
from envwright.sim.resolve import as_simulator
from envwright.verify.adequacy.evidence import EFFORT, LEVELS, Evidence, Verdict
from envwright.verify.adequacy.mutation.loading import MutantImportError, load_mutant_package
from envwright.verify.adequacy.mutation.mutants import Mutant, enumerate_mutants, sample
from envwright.verify.adequacy.mutation.rust.judge import NativeWork, judge_native
from envwright.verify.adequacy.mutation.rust.unit_tests import UnitTests
from envwright.verify.adequacy.mutation.rust.workspace import (
    DoesNotCompile,
    Workspace,
    workspace_of,
)
from envwright.verify.bridge import load_bridge
from envwright.verify.pair import PairSpec
from envwright.verify.room import RoomChecks, load_room
from envwright.verify.run import Effort
from envwright.verify.stats import share_interval

if TYPE_CHECKING:
    from envwright.verify.adequacy.audience import Audience

LEAST = 60.0  # seconds for the compiler
FORGET_AFTER = 10  # mutants; their compiled programs would fill the memory
TESTS = "tests"  # beside the levels in Rust: the crates' own, for mutants that no level notices


@dataclass
class MutationReport:
    """The share of the seeded bugs that each level caught."""

    env: str
    mutants: list[Mutant]
    killed: dict[str, list[str]]  # level or TESTS -> ids
    equivalent: list[Equivalent]
    total: int  # mutants in all; more than were tried if sampled
    crashed: list[str] = field(default_factory=list)  # ids: they raised, which any check notices
    audience: Audience | None = None  # the policies of level 4, if it was asked for
    backend: str = "jax"
    not_compiled: list[str] = field(default_factory=list)  # ids, not among `mutants`
    until_noticed: bool = False  # a level judged only what those before it missed

    @property
    def survived(self) -> list[Mutant]:
        """Mutants that neither a level nor a test killed, and that are not proved equivalent."""
        dead = {i for ids in self.killed.values() for i in ids}
        harmless = {e.mutant for e in self.equivalent}
        return [m for m in self.mutants if m.id not in dead and m.id not in harmless]

    @property
    def kill_rate(self) -> float:
        """The share of killed mutants among those that are not equivalent."""
        judged = len(self.mutants) - len(self.equivalent)
        return 1.0 if judged == 0 else 1.0 - len(self.survived) / judged

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the kill rate of all mutants, if these are a sample."""
        if len(self.mutants) + len(self.not_compiled) >= self.total:
            return self.kill_rate, self.kill_rate
        judged = len(self.mutants) - len(self.equivalent)
        return share_interval(judged - len(self.survived), judged)

    def record(self) -> Mutation:
        """Return the result that `envwright mutate --json` stores."""
        return Mutation(
            env=self.env,
            backend=self.backend,
            mutants=len(self.mutants),
            mutants_in_all=self.total,
            killed={level: len(ids) for level, ids in self.killed.items()},
            killed_by_any=len({i for ids in self.killed.values() for i in ids}),
            crashed=len(self.crashed),
            not_compiled=len(self.not_compiled),
            kill_rate=self.kill_rate,
            interval=self.interval,
            until_noticed=self.until_noticed,
            equivalent=[Proved(e.mutant, e.proof) for e in self.equivalent],
            survived=[Survivor(m.id, m.diff()) for m in self.survived],
            l4=None if self.audience is None else self._noticed(self.audience),
        )

    def _noticed(self, audience: Audience) -> Noticed:
        return Noticed(
            policies=audience.policies,
            episodes=audience.episodes,
            margin=audience.plan.margin,
            alpha=audience.plan.alpha,
            noticed=self.killed["l4"],
        )


@dataclass(frozen=True)
class _Work:
    """A mutant to be judged; a worker records the evidence, since open simulators do not travel."""

    env: str
    backend: str | None
    effort: Effort
    seed: int
    levels: tuple[str, ...]
    audience: Audience | None
    until_noticed: bool = False
    probes: str = ""
    module: str = ""
    mutant: Mutant | None = None


Answer = tuple[Mutant, Verdict | None]  # None: it does not compile
Chosen = list[tuple[str, Mutant]]  # with the module or Rust file that each is of


def mutate_room(
    name: str,
    backend: str | None = None,
    *,
    seed: int = 0,
    effort: Effort = EFFORT,
    most: int | None = None,
    until_noticed: bool = False,
    files: str = "",
    probes: str = "",
    executor: Executor | None = None,
    progress: Progress = quiet,
    so_far: Callable[[MutationReport], None] = lambda report: None,
) -> MutationReport:
    """Seed every bug (or a sample of `most`) and test whether each level notices it.

    With `until_noticed`, a level skips the mutants that one before it has noticed; with `files` (a
    pattern such as "effects/*") only mutants of these are seeded, and with `probes` only those of
    the room's own checks are asked whose function is like it. Level 4 is asked if the effort names
    policies that were trained before; the crates' own tests, in Rust, about what no level noticed.
    `so_far` receives the report after every mutant, so that an interrupted run keeps what it has
    found.
    """
    room = _with_probes(load_room(name, backend), probes)
    executor = executor or Serial()
    everything = all_mutants(room)
    claims = _claims(room, everything)
    if files:
        everything = [(module, m) for module, m in everything if fnmatch(m.file, files)]
        if not everything:
            raise EnvwrightError(f"{room.spec.id} has no mutants of files like '{files}'")
    for check in room.checks[:1]:  # report what is missing now, not after an hour
        as_simulator(check.reference).close()
    audience, policies = None, effort.transfer.policies
    if policies is not None:
        if _is_rust(room):
            raise EnvwrightError("--policies asks mutants of JAX environments; leave it out here")
        from envwright.verify.adequacy.audience import Audience  # it imports flax and orbax

        audience = Audience.gather(room, policies, seed, executor, progress)
    chosen = everything
    if most is not None and most < len(everything):
        picked = {m.id for m in sample([m for _, m in everything], most, seed)}
        chosen = [(module, m) for module, m in everything if m.id in picked]
    # Not file by file, so that an interrupted run has judged a sample.
    chosen = random.Random(seed).sample(chosen, len(chosen))
    levels = tuple(f"l{level}" for level in effort.stepwise)
    asked = [*LEVELS, *["l4"] * (audience is not None), *[TESTS] * _is_rust(room)]
    report = MutationReport(
        room.spec.id,
        mutants=[],
        killed={level: [] for level in asked},
        equivalent=[],
        total=len(everything),
        audience=audience,
        backend=room.backend,
        until_noticed=until_noticed,
    )
    work = _Work(name, room.backend, effort, seed, levels, audience, until_noticed, probes)
    judged = _judged_native if _is_rust(room) else _judged
    for done, (mutant, verdict) in enumerate(judged(room, chosen, work, executor, progress), 1):
        _enter(report, mutant, verdict, claims)
        progress("mutants", done, len(chosen))
        so_far(report)
    return report


def _enter(
    report: MutationReport, mutant: Mutant, verdict: Verdict | None, claims: dict[str, Equivalent]
) -> None:
    """Add a mutant to a report. Raises for a proof about a mutant that was killed."""
    claim = claims.get(mutant.id)
    if verdict is None:
        report.not_compiled.append(mutant.id)
    else:
        report.mutants.append(mutant)
        report.crashed += [mutant.id] if verdict.crashed else []
        for level in verdict.levels:
            report.killed[level].append(mutant.id)
    if claim is None:
        return
    if verdict is None or verdict.levels:
        fate = "does not compile" if verdict is None else "died"
        raise EnvwrightError(f"translation.toml calls {mutant.id} equivalent, but it {fate}")
    report.equivalent.append(claim)


def _with_probes(room: RoomChecks, pattern: str) -> RoomChecks:
    """Return the room with only those of its own checks that match; all without a pattern."""
    if not pattern:
        return room
    probes = tuple(probe for probe in room.probes if fnmatch(probe.run, pattern))
    if not probes:
        raise EnvwrightError(f"{room.spec.id} has no checks of its own like '{pattern}'")
    if _is_rust(room):
        raise EnvwrightError("--probes asks mutants of JAX environments; leave it out here")
    return replace(room, probes=probes)


def _is_rust(room: RoomChecks) -> bool:
    return room.backend == "rust"


def _claims(room: RoomChecks, everything: Sequence[tuple[str, Mutant]]) -> dict[str, Equivalent]:
    """Proofs about mutants of this backend. Raises if one does not match exactly one mutant."""
    claims = {
        claim.mutant: claim
        for claim in room.equivalent
        if _file(claim.mutant).endswith(".rs") == _is_rust(room)
    }
    known = {m.id for _, m in everything}
    for claim in sorted(claims.keys() - known):
        several = [i for i in known if i.rpartition(" #")[0] == claim]
        if several:
            raise EnvwrightError(
                f"translation.toml proves {claim}, which is {len(several)} mutants; "
                f"add #1 to #{len(several)}"
            )
        near = difflib.get_close_matches(claim, [i for i in known if _file(i) == _file(claim)], 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise EnvwrightError(f"translation.toml proves {claim}, which is not a mutant{hint}")
    return claims


def _file(name: str) -> str:
    return name.partition(":")[0]


def _judged(
    room: RoomChecks, chosen: Chosen, work: _Work, executor: Executor, progress: Progress
) -> Iterator[Answer]:
    """Judge mutants. A bug that ends its process, such as a division by zero, counts as noticed."""
    waiting = [(m, replace(work, module=module, mutant=m)) for module, m in chosen]
    while waiting:
        try:
            for verdict in executor.map(_judge, [ask for _, ask in waiting]):
                yield waiting.pop(0)[0], verdict
        except WorkerDied:  # one of those in progress: run the first one alone
            mutant, ask = waiting.pop(0)
            yield mutant, _judge_alone(ask, executor)


def _judge_alone(work: _Work, executor: Executor) -> Verdict:
    try:
        return next(iter(executor.map(_judge, [work])))
    except WorkerDied:
        return Verdict(_everyone(work), crashed=True)


def _judged_native(
    room: RoomChecks, chosen: Chosen, work: _Work, executor: Executor, progress: Progress
) -> Iterator[Answer]:
    """Judge Rust mutants. All are compiled first, in turn, since each build reuses the last."""
    if isinstance(executor, Serial):
        executor = Process(1)  # this process may use JAX already, which does not survive a fork
    with workspace_of(room.spec).copied() as workspace:
        began = time.monotonic()
        original = _build_without_bug(workspace, room)
        limit = max(LEAST, time.monotonic() - began)  # all crates, where a mutant is of one
        tests = UnitTests.that_pass(workspace, room.adequacy.crates)
        built: dict[str, bytes] = {}
        paths = workspace.sources(room.adequacy.crates)
        for done, (file, mutant) in enumerate(chosen, 1):
            with workspace.with_mutant(paths[file], mutant), suppress(DoesNotCompile):
                built[mutant.id] = workspace.build(limit)
            progress("compiled", done, len(chosen))
        same = (work.env, room.backend, work.effort, work.seed, work.levels, work.until_noticed)
        asked = [NativeWork(*same, original, library) for library in built.values()]
        answers = executor.map(judge_native, asked)
        for file, mutant in chosen:
            verdict = next(answers) if mutant.id in built else None
            if verdict is not None and not verdict.levels and tests.notice(paths[file], mutant):
                verdict = replace(verdict, levels=[TESTS])
            yield mutant, verdict


def _build_without_bug(workspace: Workspace, room: RoomChecks) -> bytes:
    try:
        return workspace.build()
    except DoesNotCompile as error:
        raise EnvwrightError(f"{room.spec.id} does not compile without a bug: {error}") from None


def all_mutants(room: RoomChecks) -> Chosen:
    """Return every mutant of the room's files, with the module (or the Rust file) it belongs to."""
    kind, named = (
        ("crates", room.adequacy.crates) if _is_rust(room) else ("files", room.adequacy.mutate)
    )
    if not named:
        raise EnvwrightError(f"{room.spec.id} names no {kind} to mutate in its translation.toml")
    if _is_rust(room):
        return workspace_of(room.spec).mutants(room.adequacy.crates, room.adequacy.exclude)
    found = [
        (module, mutant)
        for file, module in ((file, room.module_of(file)) for file in room.adequacy.mutate)
        for mutant in enumerate_mutants(_source(module), file, room.adequacy.exclude)
    ]
    if room.adequacy.more:
        found += load_attribute(room.adequacy.more)()
    ids = [mutant.id for _, mutant in found]
    if len(set(ids)) < len(ids):
        raise EnvwrightError(f"{room.spec.id} names two files to mutate that are called the same")
    return found


_EVIDENCE: dict[str, Evidence] = {}
_judged_here = 0  # mutants, in this process


def _judge(work: _Work) -> Verdict:
    """Return the levels that notice a mutant."""
    room = _with_probes(load_room(work.env, work.backend), work.probes)
    key = repr((work.env, work.backend, work.effort, work.seed, work.probes))
    if work.levels and key not in _EVIDENCE:
        _EVIDENCE[key] = _equal_without_bug(Evidence.record(room, work.effort, work.seed), work)
    verdict = _caught(room, _EVIDENCE.get(key), work)
    _forget_now_and_then()
    return verdict


def _forget_now_and_then() -> None:
    """Clear compiled programs now and then: only single operations are of use to later mutants."""
    global _judged_here
    _judged_here += 1
    if _judged_here % FORGET_AFTER == 0:
        jax.clear_caches()


def _equal_without_bug(evidence: Evidence, work: _Work) -> Evidence:
    """Raise if the environment differs without a bug, since that would "notice" every bug."""
    original = _twins(evidence)
    noticing = next((level for level in work.levels if original.differs(level, work.seed)), None)
    if noticing is not None:
        raise EnvwrightError(
            f"{work.env} without a bug differs from its reference already at level "
            f"{noticing.removeprefix('l')}; run envwright verify {work.env} first"
        )
    return evidence


def _caught(room: RoomChecks, evidence: Evidence | None, work: _Work) -> Verdict:
    assert work.mutant is not None
    levels, crashed = [], False
    changed = {work.module: work.mutant.apply(_source(work.module))}
    try:
        with load_mutant_package(room.packages, changed, label=work.mutant.id):
            if evidence is not None:
                twins = _twins(evidence)
                for level in work.levels:
                    levels += [level] if twins.differs(level, work.seed) else []
                    if levels and work.until_noticed:
                        break
                crashed = twins.raised
            if work.audience is not None and not (levels and work.until_noticed):
                noticed, raised = _noticed(work.audience)
                levels += ["l4"] if noticed else []
                crashed = crashed or raised
            return Verdict(levels, crashed)
    except (MutantImportError, _CannotBeMade):
        return Verdict(_everyone(work), crashed=True)  # a missing environment is always noticed


def _everyone(work: _Work) -> list[str]:
    levels = [*work.levels, *(["l4"] if work.audience else [])]
    return levels[:1] if work.until_noticed else levels


def _noticed(audience: Audience) -> tuple[bool, bool]:
    """Return whether policies notice, and whether it raised, which counts as noticed."""
    try:
        return audience.notices(), False
    except Exception:
        return True, True


class _CannotBeMade(Exception):
    """The mutated environment's constructor raised."""


def _twins(evidence: Evidence) -> Evidence:
    """Return the evidence's questions for the package as it is imported now."""
    try:
        return evidence.with_twins(lambda spec: as_simulator(spec.twin), _bridge)
    except Exception as error:
        raise _CannotBeMade(str(error)) from error


def _bridge(spec: PairSpec) -> Bridge | None:
    return load_bridge(spec.bridge) if isinstance(spec.bridge, str) else None


def _source(module: str) -> str:
    package, _, name = module.rpartition(".")
    try:
        return (importlib.resources.files(package) / f"{name}.py").read_text()
    except FileNotFoundError as error:
        raise EnvwrightError(
            f"{package} has no {name}.py, which [adequacy] in its translation.toml names"
        ) from error
