"""Benchmarks: ours, the reference and the peers in one process, alternating.

A room takes part by its `bench` module, with a tuple `IMPLEMENTATIONS`.
"""

from envwright.bench.breakdown import run_breakdown
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import describe_machine
from envwright.bench.throughput import run_bench

__all__ = [
    "Implementation",
    "Kind",
    "Prepared",
    "Role",
    "describe_machine",
    "run_bench",
    "run_breakdown",
]
