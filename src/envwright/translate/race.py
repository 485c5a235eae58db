"""Two versions of the code against each other: who is faster, and did they really compute it?

Each runs in a jail of its own; the clock is out here. They alternate, and ratios are formed
within a repeat. The last step of every timed run is compared with the reference.
"""

from __future__ import annotations

import math
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from envwright.translate.jailed import Twin
from envwright.translate.spec import Check, TranslationSpec
from envwright.verify.bridge import choose_bridge
from envwright.verify.compare import mismatches
from envwright.verify.records import Fields
from envwright.verify.simulator import Simulator, TwinRaised
from envwright.verify.simulators import open_simulator
from envwright.verify.simulators.command import CommandSimulator

BATCHES = (32, 128, 512, 2048, 8192)
REPEATS = 5
SECONDS = 0.4  # of one timed run
GAIN = 0.02  # what a change must bring at least, on the mean over batches
IMPLAUSIBLE = 20.0  # times faster; such a claim is looked at
# What a candidate may do instead of answering.
NO_ANSWER = (TwinRaised, RuntimeError, LookupError, TypeError, ValueError)
CHECKED = 48  # lanes of a timed run that are compared with the reference


@dataclass
class Contest:
    """Steps per second of both, per batch and repeat, and what is wrong with either."""

    batches: tuple[int, ...] = ()
    incumbent: dict[int, list[float]] = field(default_factory=dict)
    candidate: dict[int, list[float]] = field(default_factory=dict)
    wrong: str = ""  # what a timed run of the candidate computed wrongly, or how it failed

    def ratios(self, batch: int) -> list[float]:
        """Candidate over incumbent, repeat by repeat."""
        return [c / i for c, i in zip(self.candidate[batch], self.incumbent[batch], strict=True)]

    @property
    def gains(self) -> list[float]:
        """Per repeat the logarithm of the ratio, on the mean over batches."""
        table = [[math.log(r) for r in self.ratios(batch)] for batch in self.batches]
        return [statistics.fmean(column) for column in zip(*table, strict=True)]

    @property
    def gain(self) -> float:
        """How many times faster the candidate is, over all batches."""
        return math.exp(statistics.fmean(self.gains))

    @property
    def low(self) -> float:
        """The gain is above this with 95 % confidence."""
        gains = self.gains
        spread = statistics.stdev(gains) / math.sqrt(len(gains))
        return math.exp(statistics.fmean(gains) - stats.t.ppf(0.95, len(gains) - 1) * spread)

    @property
    def implausible(self) -> bool:
        """Whether the gain is too good to be taken on trust."""
        return any(statistics.median(self.ratios(b)) > IMPLAUSIBLE for b in self.batches)

    @property
    def faster(self) -> bool:
        """Beyond the noise, by more than it is worth, and not by computing something else."""
        return not self.wrong and self.low > 1.0 and self.gain > 1.0 + GAIN

    def to_json(self) -> dict[str, Any]:
        """Plain data for the journal."""
        return {
            "batches": {
                str(b): {"incumbent": self.incumbent[b], "candidate": self.candidate[b]}
                for b in self.batches
            },
            "gain": self.gain if self.batches else None,
            "low": self.low if self.batches else None,
            "implausible": self.implausible,
            "wrong": self.wrong,
        }


def speeds(simulator: CommandSimulator, batches: Sequence[int] = BATCHES) -> dict[int, float]:
    """Steps per second of one version, for people and prompts."""
    found = {}
    for batch in batches:
        steps = _calibrated(simulator, batch)
        found[batch] = _timed(simulator, batch, steps, seed=1)[0]
    return found


def contest(
    spec: TranslationSpec,
    incumbent: Twin,
    candidate: Twin,
    *,
    batches: Sequence[int] = BATCHES,
    repeats: int = REPEATS,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Contest:
    """Both at all batch sizes, alternating."""
    check = racing_check(spec)
    result = Contest()
    with (
        incumbent.simulator(check) as old,
        candidate.simulator(check) as new,
        open_simulator(check.reference or spec.reference.simulator) as reference,
    ):
        for place, batch in enumerate(batches):
            steps = _calibrated(old, batch)
            try:
                *samples, last = _repeats(old, new, batch, steps, repeats)
                result.wrong = result.wrong or wrongly(last, reference, new, check)
            except NO_ANSWER as error:
                result.wrong = f"it failed in a run of {batch} lanes: {error}"
                break
            result.batches = (*result.batches, batch)
            result.incumbent[batch], result.candidate[batch] = samples
            progress("racing", place + 1, len(batches))
    return result


def _repeats(
    old: CommandSimulator, new: CommandSimulator, batch: int, steps: int, repeats: int
) -> tuple[list[float], list[float], Fields]:
    """Steps per second of both, in turn, and the last step of the candidate's last run."""
    _timed(new, batch, steps, seed=0)  # compiles
    speeds: tuple[list[float], list[float]] = ([], [])
    last: Fields = {}
    for repeat in range(repeats):
        more = 1 + secrets.randbelow(64)  # so that nobody knows which step is the last
        for side in (0, 1) if repeat % 2 else (1, 0):
            speed, step = _timed((old, new)[side], batch, steps + more, seed=repeat + 1)
            speeds[side].append(speed)
            last = step if side else last
    return *speeds, last


def racing_check(spec: TranslationSpec) -> Check:
    """The setting that training uses: the first that rounds, else the first."""
    return next((c for c in spec.checks if not c.tolerances.exact), spec.checks[0])


def wrongly(last: Fields, reference: Simulator, twin: CommandSimulator, check: Check) -> str:
    """What the last step of a timed run has wrong, by the reference; empty if nothing."""
    bridge = choose_bridge(reference, twin, check.bridge)
    if bridge is None or not reference.loads:
        return ""
    lanes = len(last["action"])
    for lane in np.linspace(0, lanes - 1, min(CHECKED, lanes)).astype(int):
        before = _part(last, "before.", lane)
        reference.reset(0)
        held = reference.state()
        offered = bridge.to_reference(before)
        reference.load({k: np.asarray(offered.get(k, v)).astype(v.dtype) for k, v in held.items()})
        expected = reference.step(last["action"][lane])
        got = _record(last, lane)
        ended = bool(got["terminated"] | got["truncated"])
        if not ended:
            after = bridge.to_reference(_part(last, "after.", lane))
            got |= {f"state.{k}": np.asarray(v) for k, v in after.items()}
        wanted = {k: v for k, v in expected.items() if k in got}
        differ = mismatches(wanted, got, check.tolerances)
        if differ:
            return f"lane {lane} of {lanes}: {differ[0]}"
    return ""


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


def _timed(simulator: CommandSimulator, lanes: int, steps: int, seed: int) -> tuple[float, Fields]:
    began = time.perf_counter()
    last = simulator.race(lanes, steps, seed)
    return lanes * steps / (time.perf_counter() - began), last


def _calibrated(simulator: CommandSimulator, lanes: int) -> int:
    """Steps that take about so long, compilation not counted."""
    steps = 16
    _timed(simulator, lanes, steps, seed=0)
    while True:
        speed, _ = _timed(simulator, lanes, steps, seed=0)
        took = lanes * steps / speed
        if took > SECONDS / 4:
            return max(1, round(steps * SECONDS / took))
        steps *= 4
