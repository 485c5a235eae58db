"""Race two versions and check the candidate's runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.sim.actions import action_bank
from envwright.sim.command import CommandSimulator
from envwright.sim.conversation import NO_ANSWER
from envwright.sim.resolve import open_simulator
from envwright.translate.jailed import Twin
from envwright.translate.race.clock import (
    BATCHES,
    REPEATS,
    alternating,
    calibrated,
    unclocked,
)
from envwright.translate.race.last_step import why_unchecked, wrongly
from envwright.translate.race.loop import ObservedRuns, Way, lost
from envwright.translate.race.result import Contest
from envwright.translate.race.starts import Starts
from envwright.translate.spec import TranslationSpec
from envwright.verify.character import is_stochastic


def contest(
    spec: TranslationSpec,
    incumbent: Twin,
    candidate: Twin,
    *,
    batches: Sequence[int] = BATCHES,
    repeats: int = REPEATS,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Contest:
    """Race both at all batch sizes, alternating."""
    check = spec.everyday_check
    result = Contest()
    ways: list[Way] = []
    starts = Starts()
    batch, steps = 1, 1
    with (
        incumbent.simulator(check) as old,
        candidate.simulator(check) as new,
        open_simulator(check.reference or spec.reference.simulator) as reference,
    ):
        result.unchecked = why_unchecked(reference, new, check)
        random = is_stochastic(reference)
        try:
            for place, batch in enumerate(batches):
                steps = calibrated(old, batch)
                *samples, runs = alternating(old, new, batch, steps, repeats)
                observed = ObservedRuns(new, batch, _bank(spec, new, batch))
                result.wrong = result.wrong or observed.chained(runs[-1], check)
                if not result.unchecked:
                    result.wrong = result.wrong or wrongly(runs[-1].last, reference, new, check)
                ways += [] if random or not new.loads else observed.ways(runs[-1])
                starts.collect(new, batch, runs)
                result.batches = (*result.batches, batch)
                result.incumbent[batch], result.candidate[batch] = samples
                progress("racing", place + 1, len(batches))
            if not result.wrong:
                starts.collect_more(new, batch, steps)
                batch = 2 + secrets.randbelow(max(batches))  # unknown beforehand
                run = unclocked(new, batch)
                observed = ObservedRuns(new, batch, _bank(spec, new, batch))
                result.wrong = observed.chained(run, check)
                if not result.unchecked:
                    result.wrong = result.wrong or wrongly(run.last, reference, new, check)
                ways += [] if random or not new.loads else observed.ways(run)
        except NO_ANSWER as error:
            result.wrong = result.wrong or f"it failed in a run of {batch} lanes: {error}"
    if not result.wrong:
        # In a process that never raced and is called as in the levels: it cannot notice the race.
        with candidate.simulator(check) as calm:
            result.wrong = lost(ways, calm, check) or _started(starts, calm)
        result.unchecked = "; ".join(filter(None, (result.unchecked, starts.unseen)))
    return result


def _started(starts: Starts, calm: CommandSimulator) -> str:
    try:
        return starts.wrong(calm)
    except NO_ANSWER as error:
        return f"it failed when its starts were asked one by one: {error}"


def _bank(spec: TranslationSpec, twin: CommandSimulator, batch: int) -> np.ndarray | None:
    """Return the actions of a JAX race. In Rust every lane draws and reports its own."""
    if spec.target.backend != "jax":
        return None
    return action_bank(from_gymnasium(twin.action_space), batch)
