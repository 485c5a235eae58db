"""Measure saving and restoring a Game Boy beside PyBoy, and the memory of one.

python -m envwright.zoo.gameboy.bench.states
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from envwright._native import GameBoys
from envwright.bench.memory import growth_per_item
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.reference import PyBoyConsole

TIMES, COUNT = 50, 256


def median_seconds(work: Callable[[], object], times: int = TIMES) -> float:
    """Return the median seconds of a call."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def measure() -> dict[str, float | None]:
    """Measure medians in seconds, and bytes of a console."""
    rom = emberkeep.ROM.read_bytes()
    boys, boy = GameBoys(rom), PyBoyConsole(rom)
    boys.tick(100)
    boy.tick(100)
    ours, theirs = boys.snapshot(0), boy.save()
    return {
        "snapshot": median_seconds(lambda: boys.snapshot(0)),
        "restore": median_seconds(lambda: boys.restore(0, ours)),
        "pyboy save_state": median_seconds(boy.save, 10),
        "pyboy load_state": median_seconds(lambda: boy.load(theirs), 10),
        "make": median_seconds(lambda: GameBoys(rom), 10),
        "pyboy make": median_seconds(lambda: PyBoyConsole(rom), 5),
        "bytes a console": growth_per_item(lambda count: GameBoys(rom, count), COUNT),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        unit = "" if name.startswith("bytes") or value is None else " us"
        scaled = value if value is None or not unit else 1e6 * value
        print(f"{name:20} {scaled:12,.0f}{unit}")
