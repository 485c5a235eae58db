"""Compare the last step of a timed run with the reference."""

from __future__ import annotations

import numpy as np

from envwright.core.bridge import Bridge
from envwright.schema.translation import Check
from envwright.sim.command import CommandSimulator
from envwright.sim.records import Fields, is_over
from envwright.sim.simulator import Simulator
from envwright.verify.bridge import choose_bridge
from envwright.verify.character import is_stochastic
from envwright.verify.compare import mismatches

CHECKED = 48  # lanes of a timed run that are compared with the reference


def why_unchecked(reference: Simulator, twin: CommandSimulator, check: Check) -> str:
    """Return why a candidate's step cannot be compared, or an empty string."""
    if is_stochastic(reference):
        return "the reference's steps are random, and its dice are not the candidate's"
    if not reference.loads:
        return "the reference cannot load a state"
    if not twin.loads:
        return "the candidate cannot load a state"
    if choose_bridge(reference, twin, check.bridge) is None:
        return "no bridge fits between the states"
    return ""


def wrongly(last: Fields, reference: Simulator, twin: CommandSimulator, check: Check) -> str:
    """Return what the last step of a timed run got wrong, or an empty string.

    Call this only if `why_unchecked` has no objection.
    """
    bridge = choose_bridge(reference, twin, check.bridge)
    assert bridge is not None
    twin.reset(0)
    shown = twin.state()
    lacking = [f"{part}.{k}" for part in ("before", "after") for k in shown]
    lacking = [name for name in lacking if name not in last]
    if lacking:
        return f"its run does not show {lacking[0]}"
    lanes = len(last["action"])
    for lane in np.linspace(0, lanes - 1, min(CHECKED, lanes)).astype(int):
        expected = _reference_step(reference, bridge, last, lane)
        got = _record(last, lane)
        if is_over(got):  # the state after it is a fresh start
            expected = {k: v for k, v in expected.items() if not k.startswith("state.")}
        else:
            after = bridge.to_reference(_part(last, "after.", lane))
            got |= {f"state.{k}": np.asarray(v) for k, v in after.items()}
        differ = mismatches(expected, got, check.tolerances)
        if differ:
            return f"lane {lane} of {lanes}: {differ[0]}"
    return ""


def _reference_step(reference: Simulator, bridge: Bridge, last: Fields, lane: int) -> Fields:
    """Return the reference's result for the same state and action."""
    reference.reset(0)
    held = reference.state()
    offered = bridge.to_reference(_part(last, "before.", lane))
    reference.load({k: np.asarray(offered.get(k, v)).astype(v.dtype) for k, v in held.items()})
    return reference.step(last["action"][lane])


def _record(last: Fields, lane: int) -> Fields:
    names = ("reward", "terminated", "truncated")
    obs = {
        k.replace("final_obs", "obs", 1): np.asarray(v[lane])
        for k, v in last.items()
        if k.startswith("final_obs")
    }
    return {**obs, **{name: np.asarray(last[name][lane]) for name in names}}


def _part(last: Fields, prefix: str, lane: int) -> Fields:
    return {
        k.removeprefix(prefix): np.asarray(v[lane]) for k, v in last.items() if k.startswith(prefix)
    }
