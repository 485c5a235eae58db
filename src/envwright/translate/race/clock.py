"""The clock: run two versions in turn and time them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from envwright.sim.command import CommandSimulator
from envwright.sim.records import Fields

BATCHES = (32, 128, 512, 2048, 8192)
REPEATS = 5
SECONDS = 0.4  # per timed run


@dataclass(frozen=True)
class Timed:
    """A timed run."""

    steps: int
    seed: int
    last: Fields  # its last step, for every lane


def speeds(simulator: CommandSimulator, batches: Sequence[int] = BATCHES) -> dict[int, float]:
    """Measure one version's steps per second, for people and prompts."""
    found = {}
    for batch in batches:
        steps = calibrated(simulator, batch)
        found[batch] = _timed(simulator, batch, steps, seed=1)[0]
    return found


def alternating(
    old: CommandSimulator, new: CommandSimulator, batch: int, steps: int, repeats: int
) -> tuple[list[float], list[float], list[Timed]]:
    """Measure both versions' steps per second, alternating, and keep the candidate's runs.

    The timed code knows neither the seed nor which step is the last.
    """
    _timed(new, batch, steps, seed=0)  # compiles
    speeds: tuple[list[float], list[float]] = ([], [])
    runs: list[Timed] = []
    for repeat in range(repeats):
        more, seed = 1 + secrets.randbelow(64), secrets.randbelow(2**31)
        for side in (0, 1) if repeat % 2 else (1, 0):
            speed, last = _timed((old, new)[side], batch, steps + more, seed)
            speeds[side].append(speed)
            runs += [Timed(steps + more, seed, last)] if side else []
    return *speeds, runs


def unclocked(simulator: CommandSimulator, lanes: int) -> Timed:
    """Run some steps that only have to be right."""
    steps, seed = 64 + secrets.randbelow(64), secrets.randbelow(2**31)
    return Timed(steps, seed, simulator.race(lanes, steps, seed))


def _timed(simulator: CommandSimulator, lanes: int, steps: int, seed: int) -> tuple[float, Fields]:
    began = time.perf_counter()
    last = simulator.race(lanes, steps, seed)
    return lanes * steps / (time.perf_counter() - began), last


def calibrated(simulator: CommandSimulator, lanes: int) -> int:
    """Return the number of steps that take about that long, without compilation."""
    steps = 16
    _timed(simulator, lanes, steps, seed=0)
    while True:
        speed, _ = _timed(simulator, lanes, steps, seed=0)
        took = lanes * steps / speed
        if took > SECONDS / 4:
            return max(1, round(steps * SECONDS / took))
        steps *= 4
