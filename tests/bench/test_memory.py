"""Memory: of one environment, and of a process that runs nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.bench import Implementation, Kind, Role, run_bench
from envwright.bench.fused import FusedRoom
from envwright.bench.memory import (
    growth_per_item,
    measure_memory,
    peak_bytes,
    pytree_bytes,
    resident_bytes,
)
from envwright.bench.peers import GymnasiumLoop, GymnasiumVector
from envwright.bench.ppo import FusedPPO
from envwright.core.spaces import Discrete
from envwright.errors import EnvwrightError

PUSHES = Discrete(2)
MEGABYTE = 2**20

if resident_bytes() is None:
    pytest.skip("this system does not tell how much memory a process holds", True)


def test_bytes_of_a_pytree_are_those_of_its_arrays() -> None:
    assert pytree_bytes({"a": np.zeros((3, 2), np.float32), "b": [np.zeros(5, bool)]}) == 29


@pytest.mark.parametrize("implementation", [FusedRoom("cartpole"), FusedPPO("cartpole")])
def test_our_cartpole_takes_what_its_arrays_take(implementation: Implementation) -> None:
    motion_and_time, observation, spent = 5 * 4, 4 * 4, 1
    # `pool` keeps a spare start for every lane.
    assert implementation.bytes_per_env(8) == 2 * motion_and_time + observation + spent


def test_growth_is_that_of_what_is_made() -> None:
    grown = growth_per_item(lambda count: np.ones((count, 2048)), 4096)
    assert grown == pytest.approx(2048 * 8, rel=0.1)


def test_peak_is_at_least_what_is_held_and_remembers() -> None:
    block = np.ones(64 * MEGABYTE // 8)
    held = resident_bytes()
    del block
    peak = peak_bytes()
    assert held is not None and peak is not None and peak >= held - MEGABYTE


def test_peak_is_of_a_process_of_its_own() -> None:
    """Though this process has held much more."""
    block = np.ones(256 * MEGABYTE // 8)
    assert block.nbytes == 256 * MEGABYTE
    found = measure_memory(GymnasiumLoop("CartPole-v1", PUSHES), 1, Kind.RANDOM)
    assert 10 < found["peak_memory_mb"] < 250
    assert 100 < found["bytes_per_env"] < 100_000


def test_vector_class_takes_less_for_each_than_single_environments() -> None:
    one, of_many = (
        measure_memory(kind("CartPole-v1", PUSHES), 1, Kind.RANDOM)["bytes_per_env"]
        for kind in (GymnasiumLoop, GymnasiumVector)
    )
    assert 32 < of_many < one


def test_child_that_fails_says_why() -> None:
    with pytest.raises(EnvwrightError, match=r"could not be measured: .*NoSuchCart"):
        measure_memory(GymnasiumLoop("NoSuchCart-v0", PUSHES), 1, Kind.RANDOM)


def test_rows_hold_memory_only_where_asked() -> None:
    loop = GymnasiumLoop("CartPole-v1", PUSHES, role=Role.OURS)
    quick = {"repeats": 1, "seconds": 1e-3, "implementations": [loop]}
    (row,) = run_bench("cartpole", [4], **quick).rows
    assert row.bytes_per_env is row.peak_memory_mb is None
    seen: list[tuple[int, int]] = []
    result = run_bench(
        "cartpole", [4], **quick, memory=True, progress=lambda _, d, t: seen.append((d, t))
    )
    (row,) = result.rows
    assert row.peak_memory_mb is not None and row.peak_memory_mb > 10
    assert seen == [(done, 3) for done in range(4)]


def test_memory_that_cannot_be_measured_costs_no_row() -> None:
    loop = GymnasiumLoop("CartPole-v1", PUSHES)
    loop.note = lambda: None  # type: ignore[attr-defined]  # cannot be sent to another process
    result = run_bench(
        "cartpole", [4], repeats=1, seconds=1e-3, implementations=[loop], memory=True
    )
    (row,), (skipped,) = result.rows, result.skipped
    assert row.sps_mean > 0 and row.peak_memory_mb is None
    assert skipped.reason.startswith("memory at batch 1: ")
