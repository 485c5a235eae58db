"""Check that the loop of a timed run equals the same steps one by one."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envwright.schema.tolerance import Tol, Tolerances
from envwright.schema.translation import Check
from envwright.sim.command import CommandSimulator
from envwright.sim.conversation import NO_ANSWER
from envwright.sim.records import Fields, is_over, stack, state_of, unstack
from envwright.sim.simulator import Simulator
from envwright.translate.race.clock import Timed
from envwright.verify.tolerance import agrees

FOLLOWED = 256  # lanes whose way through the loop is followed
SHORTEST, LONGEST = 3, 8  # steps of a run that is followed from its starts
# Another compiled program of the same code rounds differently, and errors grow on the way.
ROUNDING_ULP, ROUNDING_TIMES = 64, 16


@dataclass(frozen=True)
class Way:
    """Where some lanes stood, their actions, and where the loop brought them."""

    begin: Fields
    actions: list[np.ndarray]  # per step, of all these lanes
    end: Fields
    lanes: np.ndarray  # their numbers
    batch: int

    def lost(self, twin: Simulator, tolerances: Tolerances) -> str:
        """Return how the loop differs from single steps, without lanes that end."""
        states, alive = unstack(self.begin), np.ones(len(self.lanes), bool)
        for actions in self.actions:
            records = twin.step_many(states, list(actions))
            alive &= [not is_over(record) for record in records]
            # A finished lane stays where it was, since it must not be stepped.
            following = [state_of(record) for record in records]
            states = [b if on else a for a, b, on in zip(states, following, alive, strict=True)]
        kept = np.flatnonzero(alive)
        if not len(kept):
            return ""
        expected = stack([states[i] for i in kept])
        got = {name: value[kept] for name, value in self.end.items()}
        return _apart(expected, got, tolerances, self.lanes[kept], self.batch)


@dataclass(frozen=True)
class ObservedRuns:
    """Runs of a candidate that are short or one step longer, to observe its loop."""

    simulator: CommandSimulator
    batch: int
    bank: np.ndarray | None  # the actions, if all lanes share them

    def chained(self, timed: Timed, check: Check) -> str:
        """Return whether a longer run's loop equals the last step, with the same draws.

        It is another compiled copy of the same code: the one that is timed.
        """
        if self.bank is not None:
            known = self.bank[(timed.steps - 1) % len(self.bank)]
            if not np.array_equal(known.astype(timed.last["action"].dtype), timed.last["action"]):
                return f"it took other actions in a run of {self.batch} lanes"
        lanes = self._chosen(inside=True)
        after = columns(timed.last, "after.", lanes, self.batch)
        longer = self.simulator.race(self.batch, timed.steps + 1, timed.seed)
        before = columns(longer, "before.", lanes, self.batch)
        return _apart(after, before, check.tolerances, lanes, self.batch)

    def ways(self, timed: Timed) -> list[Way]:
        """Return ways from the starts some steps on, and from where the timed run stood."""
        steps = SHORTEST + secrets.randbelow(LONGEST - SHORTEST + 1)
        found = [self._way(1, steps, secrets.randbelow(2**31))]
        if self.bank is not None:  # otherwise every action would need a long run
            found.append(self._way(timed.steps, timed.steps + steps, timed.seed, timed.last))
        return found

    def _way(self, first: int, last: int, seed: int, begun: Fields | None = None) -> Way:
        lanes = self._chosen()
        begun = self.simulator.race(self.batch, first, seed) if begun is None else begun
        ended = self.simulator.race(self.batch, last, seed)
        actions = [self._actions(step, seed, lanes) for step in range(first, last)]
        begin, end = (columns(run, "before.", lanes, self.batch) for run in (begun, ended))
        return Way(begin, actions, end, lanes, self.batch)

    def _actions(self, step: int, seed: int, lanes: np.ndarray) -> np.ndarray:
        """Return the actions of a step, from 1: from the bank, or as the harness reports them."""
        if self.bank is not None:
            return self.bank[(step - 1) % len(self.bank)][lanes]
        return self.simulator.race(self.batch, step, seed)["action"][lanes]

    def _chosen(self, inside: bool = False) -> np.ndarray:
        """Choose random lanes. The Rust harness restarts the outermost ones now and then."""
        rng = np.random.default_rng(secrets.randbits(64))
        skip = 1 if inside and self.bank is None and self.batch > 2 else 0
        numbers = np.arange(skip, self.batch - skip)
        return np.sort(rng.choice(numbers, min(FOLLOWED, len(numbers)), replace=False))


def lost(ways: Sequence[Way], twin: CommandSimulator, check: Check) -> str:
    """Return how a loop differs from the same steps one by one, if it does."""
    for way in ways:
        try:
            found = way.lost(twin, check.tolerances)
        except NO_ANSWER as error:
            found = f"it failed when {way.batch} lanes were played again: {error}"
        if found:
            return found
    return ""


def columns(run: Fields, prefix: str, lanes: np.ndarray, batch: int) -> Fields:
    """Return the states of some lanes."""
    found = {k.removeprefix(prefix): v for k, v in run.items() if k.startswith(prefix)}
    if any(len(v) != batch for v in found.values()):
        raise ValueError(f"not all of the {batch} lanes were returned")
    return {k: v[lanes] for k, v in found.items()}


def _apart(
    expected: Fields, got: Fields, tolerances: Tolerances, lanes: np.ndarray, batch: int
) -> str:
    """Return how the loop's states differ from the expected ones, or an empty string."""
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
    """Return how far two compiled programs of the same code may be apart after some steps."""
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
