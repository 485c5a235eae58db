"""The questions of the levels about a room's environment, recorded from the reference once.

Every mutant is asked the same questions, so that the reference plays only once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from envwright.core.bridge import Bridge
from envwright.core.progress import quiet
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.translation import Golden
from envwright.sim.records import Fields
from envwright.sim.serve import call
from envwright.sim.simulator import Simulator
from envwright.verify import recall
from envwright.verify.golden import Call, compare_golden, instrumented, table
from envwright.verify.l1_properties import (
    compare_cases,
    first_steps,
    sample_cases,
    start_laws_differ,
)
from envwright.verify.l2_interactions import check_interactions, places_to_jump
from envwright.verify.l3_rollouts import check_rollouts, compare_episodes
from envwright.verify.pair import Pair, PairSpec
from envwright.verify.room import RoomChecks
from envwright.verify.run import Effort, differing_spaces, for_room
from envwright.verify.sampling import Case, Sampler, play

LEVELS = ("l1", "l2", "l3")
EFFORT = Effort(episodes=60, visited=30, fuzzed=1500, boundary=300, examples=25)


class NothingConcluded(EnvwrightError):
    """A level is inconclusive about the original, and so about any mutant."""


@dataclass(frozen=True)
class Verdict:
    """The levels that noticed a mutant; `crashed` if it raised, died or hung."""

    levels: list[str]
    crashed: bool


@dataclass
class CheckEvidence:
    """One check of a room: an open pair and the answers of its reference."""

    pair: Pair
    cases: list[Case]
    jumps: list[Fields]
    episodes: list[list[Case]]
    seeds: list[int]
    starts: Fields  # empty if both sides begin from the same seeds


@dataclass
class Evidence:
    """All checks of a room and its golden pairs, recorded."""

    room: RoomChecks
    effort: Effort
    checks: list[CheckEvidence] = field(default_factory=list)
    golden: list[tuple[Golden, Call]] = field(default_factory=list)
    raised: bool = False  # a twin raised instead of answering

    @classmethod
    def record(cls, room: RoomChecks, effort: Effort, seed: int = 0) -> Evidence:
        """Let the reference play everything that the levels will compare."""
        room = room.for_mutants()
        effort = _for_mutants(effort, room)
        evidence = cls(room, effort)
        for spec in room.checks:
            evidence.checks.append(_record_check(spec, effort, seed))
        for golden in room.golden:
            with instrumented(golden.target, golden.attributes) as calls:
                Sampler(evidence.checks[0].pair, seed, ("random", "sticky")).visited(20)
            evidence.golden.append((golden, table(calls)))
        return evidence

    def with_twins(
        self,
        make: Callable[[PairSpec], Simulator],
        bridge: Callable[[PairSpec], Bridge | None] = lambda spec: None,
    ) -> Evidence:
        """Return the same questions for other twins; without a bridge, with the existing one."""
        pairs = [c.pair.with_twin(make(c.pair.spec), bridge(c.pair.spec)) for c in self.checks]
        checks = [replace(c, pair=pair) for c, pair in zip(self.checks, pairs, strict=True)]
        return Evidence(self.room, self.effort, checks, self.golden)

    def rehearse(self, seed: int = 0) -> None:
        """Run the probes whose references are recalled once, so that their answers are known."""
        for probe in self.room.probes:
            if probe.recalled:
                recall.begin()
                load_attribute(probe.run)(seed, quiet, **probe.sizes)

    def differs(self, level: str, seed: int = 0) -> bool:
        """Return whether a level notices that the twins differ from the reference.

        Any exception counts. A probe that can say nothing (its reference is missing) would let
        every bug pass: that is an error.
        """
        ask = {"l1": self._l1, "l2": self._l2, "l3": self._l3}[level]
        try:
            return ask(seed)
        except NothingConcluded:
            raise
        except Exception:
            self.raised = True
            return True

    @property
    def _shortest_first(self) -> list[CheckEvidence]:
        """Order the checks, short ones first: one that notices is enough, and most do."""
        return sorted(self.checks, key=lambda c: len(c.cases))

    def _l1(self, seed: int) -> bool:
        pairs, checks = [c.pair for c in self.checks], self._shortest_first
        return (
            bool(differing_spaces(pairs))
            or any(self._steps_differ(c, seed) for c in checks)
            or any(
                compare_golden(calls, partial(call, g.ours), g.tolerances) is not None
                for g, calls in self.golden
            )
            or any(start_laws_differ(c.starts, c.pair, seed) for c in checks if c.starts)
            or self._probed(1, seed)
        )

    def _steps_differ(self, check: CheckEvidence, seed: int) -> bool:
        if check.cases:
            return bool(compare_cases(check.pair, check.cases, 1).divergences)
        if not check.pair.stochastic:
            return False  # matched by seeds: whole episodes are compared
        return bool(first_steps(check.pair, seed, max(50, self.effort.visited)).divergences)

    def _l2(self, seed: int) -> bool:
        examples = self.effort.examples
        return any(
            check_interactions(c.pair, seed, examples=examples, jumps=c.jumps).divergences
            for c in self._shortest_first
        ) or self._probed(2, seed)

    def _l3(self, seed: int) -> bool:
        return any(self._episodes_differ(c, seed) for c in self._shortest_first) or self._probed(
            3, seed
        )

    def _episodes_differ(self, check: CheckEvidence, seed: int) -> bool:
        if check.episodes:
            return bool(compare_episodes(check.pair, check.episodes, check.seeds).divergences)
        episodes, policies = self.effort.episodes or 100, self.effort.policies or ("random",)
        again = check_rollouts(
            check.pair.spec, seed, episodes=episodes, policies=policies, pair=check.pair
        )
        return bool(again.divergences)

    def _probed(self, level: int, seed: int) -> bool:
        """Return whether the room's own checks notice; unless rehearsed, their references run."""
        for probe in self.room.probes:
            if probe.level == level:
                result = load_attribute(probe.run)(seed, quiet, **probe.sizes)
                if result.divergences:
                    return True
                if result.inconclusive:
                    raise NothingConcluded(result.inconclusive)
        return False


def _for_mutants(effort: Effort, room: RoomChecks) -> Effort:
    """Return the effort, completed with the room's own numbers."""
    own = room.adequacy.sizes.items()
    sizes = {k: v for k, v in own if getattr(effort, k) == getattr(EFFORT, k)}
    return replace(for_room(effort, room), **sizes)


def _record_check(spec: PairSpec, effort: Effort, seed: int) -> CheckEvidence:
    pair = spec.open()
    if pair.bridge is None:  # matched by seeds: no state is loaded, and both play again
        return CheckEvidence(pair, [], [], [], [], {})
    starts = pair.reference.starts(seed, effort.starts) if effort.starts else {}
    if pair.stochastic:  # both play side by side, on the reference's draws
        return CheckEvidence(pair, [], places_to_jump(pair, seed), [], [], starts)
    policies = effort.policies or ("random",)
    cases = sample_cases(pair, seed, effort.visited, effort.fuzzed, effort.boundary, policies)
    seeds = [seed + i for i in range(effort.episodes or 100)]
    episodes = [play(pair, s, policies[i % len(policies)]) for i, s in enumerate(seeds)]
    return CheckEvidence(pair, cases, places_to_jump(pair, seed), episodes, seeds, starts)
