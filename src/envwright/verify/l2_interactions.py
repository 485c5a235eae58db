"""Level 2: whether operations agree in sequence.

A hypothesis state machine resets, steps, holds an action, jumps to other states, goes back
to earlier ones and plays on; after every operation both sides must agree. A failing
sequence is shrunk by hypothesis and then by ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from envwright.core.progress import Progress, quiet
from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, is_over
from envwright.verify.divergence import UNSTEADY, describe
from envwright.verify.pair import Found, Pair, Playthrough
from envwright.verify.results import LevelResult
from envwright.verify.sampling import Sampler
from envwright.verify.shrink import shrink


class _Differs(Exception):
    """Carries the finding out of hypothesis."""

    def __init__(self, playthrough: Playthrough, found: Found) -> None:
        super().__init__(str(found.mismatch))
        self.playthrough, self.found = playthrough, found


def check_interactions(
    pair: Pair,
    seed: int = 0,
    *,
    examples: int = 60,
    operations: int = 30,
    jumps: Sequence[Fields] | None = None,
    seen: list[tuple[Fields, Any]] | None = None,
    progress: Progress = quiet,
) -> LevelResult:
    """Run level 2 on a pair: `examples` sequences of up to `operations` operations.

    `jumps` are states to jump to; by default they are sampled as for level 1. Every state
    and action that is played is added to `seen`, if given.
    """
    result = LevelResult(2)
    if not pair.comparable:
        result.inconclusive = pair.why_not
        return result
    if jumps is None:
        jumps = places_to_jump(pair, seed)
    excused = pair.excused
    machine = _machine_for(pair, seed, jumps, result, examples, progress, seen)
    try:
        run_machine(machine, settings=_settings(examples, operations, pair.shrinks))
    except _Differs as error:
        playthrough, found = shrink(pair, error.playthrough, error.found)
        result.divergences.append(describe(pair.spec, 2, found, playthrough, "state machine"))
    except Flaky:
        playthrough, found = machine.last.playthrough, machine.last.found
        result.divergences.append(
            describe(pair.spec, 2, found, playthrough, "state machine", hint=UNSTEADY)
        )
    result.tally.near_boundary = pair.excused - excused
    result.tally.cases = min(result.tally.cases, examples)  # it runs some of them again
    return result


def places_to_jump(pair: Pair, seed: int) -> list[Fields]:
    """Return states from which sequences may go on, if states can be set."""
    if not pair.transplants or pair.stochastic:
        return []
    sampler = Sampler(pair, seed + 1, ("random", "sticky"))
    visited = sampler.visited(4)
    return [c.state for c in sampler.fuzzed(visited, 60) + sampler.boundary(visited, 40)]


def _settings(examples: int, operations: int, shrinks: bool) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=operations,
        derandomize=True,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),  # type: ignore[arg-type]  not the deprecated
        phases=(Phase.generate, Phase.shrink) if shrinks else (Phase.generate,),
        report_multiple_bugs=False,
    )


def _machine_for(
    pair: Pair,
    seed: int,
    jumps: Sequence[Fields],
    result: LevelResult,
    examples: int,
    progress: Progress,
    seen: list[tuple[Fields, Any]] | None,
) -> Any:
    actions = st.integers(0, 2**32 - 1).map(lambda n: _action(pair, n))

    class Machine(RuleBasedStateMachine):
        """A state machine that drives both simulators with the same operations."""

        last: _Differs  # for a difference that does not recur

        @initialize(number=st.integers(0, 1000))
        def begin(self, number: int) -> None:
            result.tally.cases += 1
            progress("level 2", min(result.tally.cases, examples), examples)
            self.start_anew(number)

        def start_anew(self, number: int) -> None:
            self.playthrough = Playthrough([], seed + number, resync=not pair.tolerances.exact)
            self.over = False
            self.kept: list[Fields] = []
            self.check_start()

        def check_start(self) -> None:
            self.judge(pair.run(self.playthrough))

        def judge(self, found: Found | None) -> None:
            if found is not None:
                Machine.last = _Differs(self.playthrough, found)
                raise Machine.last

        @rule(action=actions)
        @precondition(lambda self: not self.over)
        def step(self, action: Any) -> None:
            self.play(action)

        @rule(action=actions, times=st.integers(2, 12))
        @precondition(lambda self: not self.over)
        def hold(self, action: Any, times: int) -> None:
            for _ in range(times):
                if not self.over:
                    self.play(action)

        @rule(number=st.integers(0, 1000))
        def reset(self, number: int) -> None:
            self.start_anew(number)

        @rule(which=st.integers(0, 2**16))
        @precondition(lambda self: len(jumps) > 0)
        def jump(self, which: int) -> None:
            self.go_to(jumps[which % len(jumps)])

        @rule()
        @precondition(lambda self: pair.transplants and not pair.stochastic and not self.over)
        def keep(self) -> None:
            self.kept.append(pair.reference.state())

        @rule(which=st.integers(0, 2**16))
        @precondition(lambda self: len(self.kept) > 0)
        def go_back(self, which: int) -> None:
            self.go_to(self.kept[which % len(self.kept)])

        def go_to(self, state: Fields) -> None:
            self.playthrough = Playthrough([], seed, state, resync=not pair.tolerances.exact)
            self.over = False
            self.check_start()

        def play(self, action: Any) -> None:
            result.tally.steps += 1
            before = pair.reference.state() if pair.reference.loads else None
            if seen is not None and before is not None:
                seen.append((before, action))
            step, resync = len(self.playthrough.actions), self.playthrough.resync
            self.playthrough.actions.append(action)
            moment = pair.compare_step(step, before, action, resync)
            self.judge(moment.found)
            self.over = is_over(moment.reference)

    return Machine


def _action(pair: Pair, number: int) -> Any:
    return draw_action(np.random.default_rng(number), pair.reference.action_space)
