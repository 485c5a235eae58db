"""The largest numbers that a command, a simulator's name or a setting may ask for.

They lie far above what is useful. Without them a typing error exhausts the memory or runs for
ever, and some libraries abort the process.
"""

from __future__ import annotations

import math
from pathlib import Path

from envwright.errors import EnvwrightError

SEED = 2**32 - 1  # a key of JAX is made from 32 bits
LANES = 2**24  # environments side by side, as in `crates/vecenv`
PYTHON_LANES = 2**16  # environments that step in Python, one after the other
STEPS = 10**12  # training steps
ROLLOUT = 2**20  # steps between two updates
EPISODES = 10**7
REPEATS = 10_000  # repeats of a measurement, a run, a round
SECONDS = 10**9  # thirty years
AGENTS = 4096  # trained side by side
HOSTS = 2**16  # processes of a training run
WIDTH = 2**16  # width of a layer
LAYERS = 64
SHOWN_STEPS = 100_000  # steps of a drawn episode


def check_whole(name: str, value: int, least: int, most: int) -> None:
    """Reject a count outside its range."""
    if value < least:
        raise EnvwrightError(f"{name} must be at least {least}, not {value}")
    if value > most:
        raise EnvwrightError(f"{name} must be at most {most:,}, not {value}")


def check_finite(name: str, value: float) -> None:
    """Reject NaN and infinity."""
    if not math.isfinite(value):
        raise EnvwrightError(f"{name} must be a finite number, not {value}")


def free_memory() -> int | None:
    """Return the bytes that this process can still allocate; None where the system hides them."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    free = next((line for line in lines if line.startswith("MemAvailable:")), None)
    return None if free is None else 1024 * int(free.split()[1])


def check_memory(what: str, needed: int, instead: str) -> None:
    """Reject work that would take more memory than is free."""
    free = free_memory()
    if free is not None and needed > free:
        raise EnvwrightError(
            f"{what} would take about {needed / 1e9:,.1f} GB and {free / 1e9:,.1f} GB are free; "
            f"{instead}"
        )
