"""Propose a margin that does not depend on the result: the change that retraining makes anyway."""

from __future__ import annotations

import math

import numpy as np

from envwright.errors import EnvwrightError
from envwright.schema.results import MarginProposal
from envwright.verify.transfer.power import margin_needed
from envwright.verify.transfer.power import power as power_of
from envwright.verify.transfer.units import FEWEST, finite_returns, is_constant

CONFIDENCE_95 = 1.96


def propose_margin(
    returns: np.ndarray,
    again: np.ndarray | None = None,
    units: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> MarginProposal:
    """Propose the margin that seed noise within one backend justifies.

    `returns[seed, stage]` are mean returns of policies trained in one backend, at checkpoints
    during and after training. `again` are the same policies evaluated once more in that
    backend with other episodes. `units` is the number of seeds that level 4 will train (by
    default as many as here).

    Two people who train `units` seeds each in the *same* environment publish means that
    differ by up to 1.96 * sd_seed * sqrt(2 / units) in 95 of 100 cases. A twin that changes
    the mean by less changes no conclusion that a mean of `units` seeds supports, so this is
    the margin. A seed's number is its mean over the stages, as in `paired_tost`.

    Three choices keep it from growing by bad measurement:

    - Evaluation noise is not seed noise. With `again` its variance is subtracted; otherwise
      few evaluation episodes would buy a wide margin.
    - The normal quantile is used, not Student's: a pilot of few seeds does not widen it.
    - The margin is not raised until the test has power. If evaluation noise is too large,
      `powered` is False and `why` says how many more episodes are needed. More seeds do not
      help: margin and standard error both shrink with the square root of `units`.
    """
    table = _table(returns, "pilot")
    seeds, stages = table.shape
    units = int(seeds if units is None else units)
    if min(seeds, units) < FEWEST:
        raise EnvwrightError(f"a margin needs {FEWEST} or more training seeds")
    sd_seed, sd_noise = _deviations(table, again)
    margin = CONFIDENCE_95 * sd_seed * math.sqrt(2 / units)
    reached = smallest = None
    if sd_noise is None:
        measured = "evaluation noise included (not measured)"
    else:
        reached = power_of(sd_noise, units, margin, alpha)
        smallest = margin_needed(sd_noise, units, power, alpha)
        measured = f"evaluation noise removed; power {reached:.2f}"
        if reached < power:
            more = (smallest / margin) ** 2  # noise falls with the root of the episodes
            measured += f" is below {power:g}, so evaluate {more:.1f} times as many episodes"
    why = (
        f"two means of {units} seeds retrained in one backend differ by up to {margin:.3g} (95 %): "
        f"1.96 * {sd_seed:.3g} * sqrt(2/{units}), deviation of {seeds} seeds x {stages} stages, "
        f"{measured}"
    )
    return MarginProposal(
        margin=margin,
        sd_seed=sd_seed,
        sd_noise=sd_noise,
        seeds=seeds,
        stages=stages,
        units=units,
        power=reached,
        smallest=smallest,
        wanted=power,
        why=why,
    )


def _deviations(table: np.ndarray, again: np.ndarray | None) -> tuple[float, float | None]:
    """Return the deviations among seeds, and of the difference of two evaluations."""
    per_seed, sd_noise, variance = table.mean(axis=1), None, 0.0
    if again is not None:
        second = _table(again, "second")
        if second.shape != table.shape:
            raise EnvwrightError("both evaluations need the same policies, seed by seed")
        gaps = (second - table).mean(axis=1)
        sd_noise = float(np.sqrt(np.mean(gaps**2)))  # one backend: the true mean is zero
        per_seed = per_seed + gaps / 2  # the mean of both has a quarter of that variance
        variance = sd_noise**2 / 4
    beyond = float(per_seed.var(ddof=1)) - variance
    if beyond <= 0 or is_constant(per_seed):
        raise EnvwrightError(
            "training seeds differ by no more than evaluation noise, so they justify no margin; "
            "add policies from the middle of training, evaluate more episodes, or set it by hand"
        )
    return math.sqrt(beyond), sd_noise


def _table(returns: np.ndarray, whose: str) -> np.ndarray:
    table = finite_returns(returns, whose)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] == 0:
        raise EnvwrightError("returns need the shape [seed, stage]")
    return table
