"""Shows a saved divergence again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envwright.core.registry import load_attribute
from envwright.errors import EnvwrightError
from envwright.sim.records import Fields, is_over
from envwright.sim.simulator import TwinRaised
from envwright.verify.compare import Mismatch, mismatches
from envwright.verify.divergence import Divergence
from envwright.verify.l1_properties import LAW_STARTS, compare_start_laws
from envwright.verify.laws import compare_transition_laws
from envwright.verify.pair import Pair
from envwright.verify.run import differing_spaces
from envwright.verify.vector.check import replay_lanes


@dataclass
class ReplayedStep:
    """One step on both sides, and where they differ."""

    action: Any
    reference: Fields
    twin: Fields
    differ: list[Mismatch]
    raised: str = ""


@dataclass
class Replay:
    """What was seen again; `shows` is false if the two sides agree now."""

    shows: bool
    steps: list[ReplayedStep] = field(default_factory=list)
    mismatch: str = ""


def replay(divergence: Divergence) -> Replay:
    """Do again what showed the divergence, on simulators opened anew."""
    if divergence.kind in ("vector", "vector-reset"):
        mismatch = replay_lanes(divergence)
        return Replay(mismatch is not None, mismatch=str(mismatch or ""))
    if divergence.kind == "room":
        differs = load_attribute(divergence.bridge)(divergence)
        return Replay(bool(differs), mismatch=differs)
    if divergence.kind == "golden":
        raise EnvwrightError(
            "a golden pair is recorded anew each time; run envwright verify … --levels 1 instead"
        )
    pair = divergence.spec().open()
    try:
        if divergence.kind == "steps":
            return _replay_steps(pair, divergence)
        if divergence.kind == "law" and divergence.start is not None:
            report = compare_transition_laws(
                pair, [divergence.start], divergence.actions, repeats=LAW_STARTS // 10
            )
            return Replay(bool(report.differences), mismatch=str(report))
        again = (
            compare_start_laws(pair, divergence.seed, LAW_STARTS)
            if divergence.kind == "law"
            else differing_spaces([pair])
        )
        return Replay(bool(again), mismatch=str(again[0]) if again else "")
    finally:
        pair.close()


def _replay_steps(pair: Pair, divergence: Divergence) -> Replay:
    program = divergence.program()
    shown = Replay(shows=pair.run(program) is not None)
    try:
        if program.start is not None:
            pair.reference.load(program.start)
            pair.sync(program.start)
        else:
            pair.start(program.seed)
    except TwinRaised as error:
        return Replay(shown.shows, mismatch=f"the twin raised {error}")
    for action in program.actions:
        expected = pair.step_reference(action)
        try:
            got, raised = pair.step_twin(action), ""
        except TwinRaised as error:
            got, raised = {}, str(error)
        differ = [] if raised else mismatches(expected, got, pair.tolerances)
        shown.steps.append(ReplayedStep(action, expected, got, differ, raised))
        if raised or is_over(expected):
            break
    return shown
