"""MJX and Brax, each in a separate process."""

from __future__ import annotations

import importlib.util

from envwright.bench.children import Child, prepared
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores

CHILD = "envwright.zoo.halfcheetah.bench.jax_child"
LARGEST = 1024  # a tick of a larger batch takes many seconds
# Their linear algebra waits for threads that XLA did not start, on a machine with few cores.
SURROUNDINGS = {"PJRT_NPROC": "8"}


class JaxPeer(Implementation):
    """Another JAX implementation of HalfCheetah: `mjx` or `brax`."""

    role = Role.PEER
    timed = (
        "its step vmapped and jitted, one call per tick, in a process of its own with "
        "PJRT_NPROC=8; no reset"
    )

    def __init__(self, name: str, package: str) -> None:
        self.name, self.package = name, package

    @property
    def threads(self) -> int:
        return available_cores()

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= LARGEST)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        if importlib.util.find_spec(self.package) is None:
            raise ImportError(f"{self.package} is not installed")
        child = Child(CHILD, self.name, batch, surroundings=SURROUNDINGS)
        return prepared([child], batch, compiles=True)
