"""Two versions of the code against each other: who is faster, and did they really compute it?

Each runs in a jail of its own; the clock is out here. They alternate, and ratios are formed
within a repeat. The last step of a timed run is compared with the reference, and the loop
before it with the same steps one by one.
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

from envwright.bench.actions import action_bank
from envwright.core.bridge import Bridge
from envwright.core.spaces import from_gymnasium
from envwright.translate.jailed import Twin
from envwright.translate.spec import Check, TranslationSpec
from envwright.verify.bridge import choose_bridge
from envwright.verify.character import is_stochastic
from envwright.verify.compare import mismatches
from envwright.verify.records import Fields, is_over, stack, state_of, unstack
from envwright.verify.simulator import Simulator, TwinRaised
from envwright.verify.simulators import open_simulator
from envwright.verify.simulators.command import CommandSimulator
from envwright.verify.tolerance import Tol, Tolerances, agrees

BATCHES = (32, 128, 512, 2048, 8192)
REPEATS = 5
SECONDS = 0.4  # of one timed run
GAIN = 0.02  # what a change must bring at least, on the mean over batches
IMPLAUSIBLE = 20.0  # times faster; such a claim is looked at
# What a candidate may do instead of answering.
NO_ANSWER = (TwinRaised, RuntimeError, LookupError, TypeError, ValueError)
CHECKED = 48  # lanes of a timed run that are compared with the reference
FOLLOWED = 256  # lanes whose way through the loop is followed
SHORTEST, LONGEST = 3, 8  # steps of a run that is followed from its starts
# Another compiled program of the same code rounds differently, and errors grow on the way.
ROUNDING_ULP, ROUNDING_TIMES = 64, 16


@dataclass
class Contest:
    """Steps per second of both, per batch and repeat, and what is wrong with either."""

    batches: tuple[int, ...] = ()
    incumbent: dict[int, list[float]] = field(default_factory=dict)
    candidate: dict[int, list[float]] = field(default_factory=dict)
    wrong: str = ""  # what a timed run of the candidate computed wrongly, or how it failed
    unchecked: str = ""  # why its last step was not compared with the reference, if it was not

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
    def incredible(self) -> bool:
        """Whether the gain would have to be taken on trust and is too good for that."""
        return bool(self.unchecked) and self.implausible

    @property
    def faster(self) -> bool:
        """Beyond the noise, by more than it is worth, and not by computing something else."""
        if self.wrong or self.incredible:
            return False
        return self.low > 1.0 and self.gain > 1.0 + GAIN

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
            "unchecked": self.unchecked,
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
    ways: list[Way] = []
    with (
        incumbent.simulator(check) as old,
        candidate.simulator(check) as new,
        open_simulator(check.reference or spec.reference.simulator) as reference,
    ):
        result.unchecked = why_unchecked(reference, new, check)
        random = is_stochastic(reference)
        for place, batch in enumerate(batches):
            steps = _calibrated(old, batch)
            try:
                *samples, timed = _repeats(old, new, batch, steps, repeats)
                looks = Looks(new, batch, _bank(spec, new, batch))
                result.wrong = result.wrong or looks.chained(timed, check)
                if not result.unchecked:
                    result.wrong = result.wrong or wrongly(timed.last, reference, new, check)
                ways += [] if random or not new.loads else looks.ways(timed)
            except NO_ANSWER as error:
                result.wrong = result.wrong or f"it failed in a run of {batch} lanes: {error}"
                break
            result.batches = (*result.batches, batch)
            result.incumbent[batch], result.candidate[batch] = samples
            progress("racing", place + 1, len(batches))
    if ways and not result.wrong:
        # In a process that never raced: as the levels asked it, with nothing to be noticed.
        with candidate.simulator(check) as calm:
            result.wrong = _lost(ways, calm, check)
    return result


@dataclass(frozen=True)
class Timed:
    """A run of the candidate whose time was taken."""

    steps: int
    seed: int
    last: Fields  # its last step, for every lane


def _repeats(
    old: CommandSimulator, new: CommandSimulator, batch: int, steps: int, repeats: int
) -> tuple[list[float], list[float], Timed]:
    """Steps per second of both, in turn, and the candidate's last run."""
    _timed(new, batch, steps, seed=0)  # compiles
    speeds: tuple[list[float], list[float]] = ([], [])
    timed = Timed(0, 0, {})
    for repeat in range(repeats):
        more = 1 + secrets.randbelow(64)  # so that nobody knows which step is the last
        for side in (0, 1) if repeat % 2 else (1, 0):
            speed, step = _timed((old, new)[side], batch, steps + more, seed=repeat + 1)
            speeds[side].append(speed)
            timed = Timed(steps + more, repeat + 1, step) if side else timed
    return *speeds, timed


# --- the loop -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """Where some lanes stood, the actions they were given, and where the loop brought them."""

    begin: Fields
    actions: list[np.ndarray]  # per step, of all these lanes
    end: Fields
    lanes: np.ndarray  # their numbers
    batch: int

    def lost(self, twin: Simulator, tolerances: Tolerances) -> str:
        """What the loop has otherwise than steps one by one; lanes that end are left out."""
        states, alive = unstack(self.begin), np.ones(len(self.lanes), bool)
        for actions in self.actions:
            records = twin.step_many(states, list(actions))
            alive &= [not is_over(record) for record in records]
            # A lane that has ended stays where it was: nobody may step beyond an end.
            following = [state_of(record) for record in records]
            states = [b if on else a for a, b, on in zip(states, following, alive, strict=True)]
        kept = np.flatnonzero(alive)
        if not len(kept):
            return ""
        expected = stack([states[i] for i in kept])
        got = {name: value[kept] for name, value in self.end.items()}
        return _apart(expected, got, tolerances, self.lanes[kept], self.batch)


@dataclass(frozen=True)
class Looks:
    """Runs of a candidate that are short or one step longer, to see what its loop does."""

    simulator: CommandSimulator
    batch: int
    bank: np.ndarray | None  # the actions, where they are the same for everybody

    def chained(self, timed: Timed, check: Check) -> str:
        """Whether the loop of a longer run does what the last step did, with the same dice.

        It is another compiled copy of the same code: the one that takes the time.
        """
        if self.bank is not None:
            known = self.bank[(timed.steps - 1) % len(self.bank)]
            if not np.array_equal(known.astype(timed.last["action"].dtype), timed.last["action"]):
                return f"it took other actions in a run of {self.batch} lanes"
        lanes = self._chosen(inside=True)
        after = _columns(timed.last, "after.", lanes, self.batch)
        longer = self.simulator.race(self.batch, timed.steps + 1, timed.seed)
        before = _columns(longer, "before.", lanes, self.batch)
        return _apart(after, before, check.tolerances, lanes, self.batch)

    def ways(self, timed: Timed) -> list[Way]:
        """From the starts a few steps on, and from where the timed run stood."""
        steps = SHORTEST + secrets.randbelow(LONGEST - SHORTEST + 1)
        found = [self._way(1, steps, secrets.randbelow(2**31))]
        if self.bank is not None:  # else every action would cost a long run
            found.append(self._way(timed.steps, timed.steps + steps, timed.seed, timed.last))
        return found

    def _way(self, first: int, last: int, seed: int, begun: Fields | None = None) -> Way:
        lanes = self._chosen()
        begun = self.simulator.race(self.batch, first, seed) if begun is None else begun
        ended = self.simulator.race(self.batch, last, seed)
        actions = [self._actions(step, seed, lanes) for step in range(first, last)]
        begin, end = (_columns(run, "before.", lanes, self.batch) for run in (begun, ended))
        return Way(begin, actions, end, lanes, self.batch)

    def _actions(self, step: int, seed: int, lanes: np.ndarray) -> np.ndarray:
        """Of a step, from 1: out of the bank, else as the harness of a run so long tells them."""
        if self.bank is not None:
            return self.bank[(step - 1) % len(self.bank)][lanes]
        return self.simulator.race(self.batch, step, seed)["action"][lanes]

    def _chosen(self, inside: bool = False) -> np.ndarray:
        """Lanes at random; the outermost are begun anew now and then by the harness of Rust."""
        rng = np.random.default_rng(secrets.randbits(64))
        skip = 1 if inside and self.bank is None and self.batch > 2 else 0
        numbers = np.arange(skip, self.batch - skip)
        return np.sort(rng.choice(numbers, min(FOLLOWED, len(numbers)), replace=False))


def _bank(spec: TranslationSpec, twin: CommandSimulator, batch: int) -> np.ndarray | None:
    """The actions of a race in JAX; in Rust every lane draws its own, and they are told."""
    if spec.target.backend != "jax":
        return None
    return action_bank(from_gymnasium(twin.action_space), batch)


def _lost(ways: Sequence[Way], twin: CommandSimulator, check: Check) -> str:
    """What a loop has otherwise than the same steps one by one, if anything."""
    for way in ways:
        try:
            lost = way.lost(twin, check.tolerances)
        except NO_ANSWER as error:
            lost = f"it failed when {way.batch} lanes were played again: {error}"
        if lost:
            return lost
    return ""


def _columns(run: Fields, prefix: str, lanes: np.ndarray, batch: int) -> Fields:
    """The states of some lanes."""
    found = {k.removeprefix(prefix): v for k, v in run.items() if k.startswith(prefix)}
    if any(len(v) != batch for v in found.values()):
        raise ValueError(f"not all of the {batch} lanes came back")
    return {k: v[lanes] for k, v in found.items()}


def _apart(
    expected: Fields, got: Fields, tolerances: Tolerances, lanes: np.ndarray, batch: int
) -> str:
    """How the states of the loop differ from what they should be; empty if they do not."""
    for name, wanted in expected.items():
        if name not in got or got[name].shape != wanted.shape:
            return f"the loop lost {name} of the states"
        tol = _rounding(wanted, tolerances.of(f"state.{name}"))
        good = np.asarray(agrees(wanted, got[name], tol)).reshape(len(lanes), -1).all(axis=1)
        if not good.all():
            row = int(np.argmin(good))
            values = f"{_short(got[name][row])}, not {_short(wanted[row])}"
            return f"lane {lanes[row]} of {batch}: the loop brought {name} to {values}"
    return ""


def _rounding(values: np.ndarray, tol: Tol) -> Tol:
    """What two compiled programs of the same code may lie apart, some steps on."""
    why = "two programs of the same code, some steps on"
    if values.dtype.kind != "f":
        return Tol()
    finite = np.abs(values[np.isfinite(values)])
    unit = float(np.spacing(finite.max())) if finite.size else 0.0
    ulp = max(ROUNDING_ULP, ROUNDING_TIMES * tol.ulp)
    return Tol(max(ROUNDING_ULP * unit, ROUNDING_TIMES * tol.atol), ulp, why)


def _short(value: np.ndarray) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


# --- the last step ------------------------------------------------------------------------------


def racing_check(spec: TranslationSpec) -> Check:
    """The setting that training uses: the first that rounds, else the first."""
    return next((c for c in spec.checks if not c.tolerances.exact), spec.checks[0])


def why_unchecked(reference: Simulator, twin: CommandSimulator, check: Check) -> str:
    """Why a step of the candidate cannot be compared with the reference; empty if it can."""
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
    """What the last step of a timed run has wrong, by the reference; empty if nothing.

    Only where `why_unchecked` has no objection.
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
        if is_over(got):  # what stands there afterwards is a fresh start
            expected = {k: v for k, v in expected.items() if not k.startswith("state.")}
        else:
            after = bridge.to_reference(_part(last, "after.", lane))
            got |= {f"state.{k}": np.asarray(v) for k, v in after.items()}
        differ = mismatches(expected, got, check.tolerances)
        if differ:
            return f"lane {lane} of {lanes}: {differ[0]}"
    return ""


def _reference_step(reference: Simulator, bridge: Bridge, last: Fields, lane: int) -> Fields:
    """What the reference makes of the same state and action."""
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
