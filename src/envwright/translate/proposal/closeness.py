"""How closely both sides must agree: tolerances with reasons."""

from __future__ import annotations

import math

import numpy as np

from envwright.schema.translation import Tolerance
from envwright.translate.proposal.played import Field, Play
from envwright.translate.proposal.rehearsal import Recorded, Rehearsal

SAFETY = 16  # units of rounding: a step is a few dozen operations, and errors mostly cancel
ULPS = 16
# If errors run away in some states, a sample hardly meets the worst. Factors for steps from
# possible states, and for golden pairs, which are recorded from any state.
RUNAWAY, WILD = 16, 64
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


class Closeness:
    """The tolerances of one environment."""

    def __init__(self, play: Play, rehearsal: Rehearsal) -> None:
        self.play, self.rehearsal = play, rehearsal

    @property
    def precision(self) -> np.dtype:
        """The coarsest precision in which the reference computes its state."""
        return min((DOUBLE, *self.rehearsal.leaves), key=lambda dtype: dtype.itemsize)

    def check(self, dtype: np.dtype) -> list[Tolerance]:
        """Return whole-step tolerances if the twin computes in `dtype`. Empty means exact."""
        if not self.play.computes_in_floats:
            return self._of_rewards(dtype)
        coarse = min(dtype, self.precision, key=lambda d: d.itemsize)
        reach = self.rehearsal.wild if self.rehearsal.goes_on else self.rehearsal.usual
        more = 1 if self.rehearsal.tame else RUNAWAY
        why = self._why(coarse, dtype, more)
        state = {f"state.{name}": f for name, f in self.play.state.items()}
        return [
            Tolerance(name, self._atol(name, f, coarse, reach, more), ULPS, why)
            for name, f in {**self.play.outside, **state}.items()
            if f.dtype.kind == "f" and not (name == "reward" and f.whole)
        ]

    def pair(
        self, recorded: Recorded, outputs: list[str], of_step: dict[str, str]
    ) -> list[Tolerance]:
        """Return tolerances of golden pairs, computed in float64. `of_step` names step fields."""
        found = []
        inputs = [c.dtype for c in recorded.inputs.values() if c.dtype.kind == "f"]
        coarse = min((DOUBLE, *inputs), key=lambda dtype: dtype.itemsize)
        for name in outputs:
            column = recorded.outputs[name]
            if column.dtype.kind != "f":
                continue
            field, more = of_step.get(name, ""), 1
            if field in self.rehearsal.wild:
                more = 1 if self.rehearsal.tame else WILD
                atol = self._atol(field, column, self.precision, self.rehearsal.wild, more)
            else:
                atol = rounded_up(SAFETY * float(np.finfo(coarse).eps) * column.largest)
            why = self._why(self.precision, self.precision, more)
            found.append(Tolerance(name, atol, ULPS, why))
        return found

    @property
    def _acts_in_floats(self) -> bool:
        """Actions are float32, and NumPy computes with them in float32 where it can."""
        return any(self.rehearsal.of_action.values())

    def _why(self, coarse: np.dtype, dtype: np.dtype, more: int) -> str:
        which = f"rounding in {coarse.name}"
        if coarse != dtype:
            which = f"the reference itself computes in {coarse.name}"
        elif coarse == DOUBLE and self._acts_in_floats:
            which = "rounding in float64, and in float32 where actions are used"
        return f"{which}; {SAFETY * more} times what a last digit moves"

    def _atol(
        self, name: str, field: Field, dtype: np.dtype, reach: dict[str, float], more: int
    ) -> float:
        error = float(np.finfo(dtype).eps) * more * reach.get(name, 8 * field.largest)
        error += float(np.finfo(SINGLE).eps) * self.rehearsal.of_action.get(name, 0.0)
        return rounded_up(SAFETY * error)

    def _of_rewards(self, dtype: np.dtype) -> list[Tolerance]:
        """States are whole numbers; only constants such as 0.1 are rounded."""
        if dtype == DOUBLE:
            return []
        floats = [n for n, f in self.play.outside.items() if f.dtype.kind == "f"]
        return [Tolerance(n, 0.0, 1, "0.1 is another number in float32") for n in floats]


def rounded_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    if not value > 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    digit = next(d for d in (1, 2, 5, 10) if d * power >= value * (1 - 1e-12))
    return float(f"{digit * power:.0e}")
