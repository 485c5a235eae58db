"""MJX and Brax, each in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import IO

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.errors import EnvwrightError

CHILD = "envwright.bench.jax_child"
LARGEST = 1024  # a tick of more takes many seconds
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
        process = subprocess.Popen(
            [sys.executable, "-m", CHILD, self.name, str(batch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
            env=os.environ | SURROUNDINGS,
        )
        processor = [0.0]

        def close() -> None:
            process.kill()
            process.communicate()

        def answer() -> float:
            line = _open(process.stdout).readline()
            if not line:
                raise EnvwrightError(f"the process of {self.name} ended early")
            return float(line)

        def run(steps: int) -> int:
            ticks = -(-steps // batch)
            _open(process.stdin).write(f"{ticks}\n")
            processor[0] += answer()
            return ticks * batch

        try:
            compile_seconds = answer()
            run(batch)
        except BaseException:
            close()
            raise
        return Prepared(
            run,
            compile_seconds,
            close=close,
            processor=lambda: processor[0],
            processes=(process.pid,),
        )


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
