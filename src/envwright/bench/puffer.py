"""PufferLib's C environments, each process with its share of the batch.

C holds Python's lock while it steps, so more than one core takes more than one process. They
never wait for each other within a measurement, which is more than PufferLib's own vectoriser
can do.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import IO

from envwright.bench.actions import SEED
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import growth_per_item
from envwright.errors import EnvwrightError
from envwright.zoo.pong.reference.binding import PufferPong
from envwright.zoo.pong.reference.build import FLAGS, Build

CHILD = "envwright.bench.puffer_child"


class PufferLoop(Implementation):
    """PufferLib's own two calls per tick: fill the actions, `vec_step`."""

    def __init__(
        self,
        role: Role,
        frame_skip: int,
        continuous: bool = False,
        cores: int | None = None,
        build: Build = "plain",
    ) -> None:
        self.role, self.frame_skip, self.continuous = role, frame_skip, continuous
        self.cores, self.build = available_cores() if cores is None else cores, build
        self.name = "pufferlib-c" + ("" if cores is None else f"-{cores}")
        self.name += "" if build == "plain" else f"-{build}"
        self.timed = (
            f"actions[:] = …, binding.vec_step in a Python loop, {self.cores} processes that run "
            f"freely, each with its share of the batch; compiled with {' '.join(FLAGS[build])}"
        )

    @property
    def threads(self) -> int:
        return self.cores

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch >= self.cores)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        shares = [batch // self.cores + (i < batch % self.cores) for i in range(self.cores)]
        firsts = [sum(shares[:i]) for i in range(self.cores)]
        places = zip(firsts, shares, strict=True)
        children = [Child(batch, first, share, self) for first, share in places]
        processor = [0.0]

        def run(steps: int) -> int:
            ticks = -(-steps // batch)
            for child in children:
                child.ask(ticks)
            processor[0] += sum(child.answer() for child in children)
            return ticks * batch

        def close() -> None:
            for child in children:
                child.close()

        try:
            run(batch)  # all are there, or say why not
        except BaseException:
            close()
            raise
        pids = tuple(child.process.pid for child in children)
        return Prepared(run, close=close, processor=lambda: processor[0], processes=pids)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._made, 2**16)

    def _made(self, lanes: int) -> PufferPong:
        pong = PufferPong(lanes, self.frame_skip, self.continuous, self.build)
        pong.reset(SEED)
        return pong


class Child:
    """A process with some of the environments."""

    def __init__(self, batch: int, first: int, lanes: int, of: PufferLoop) -> None:
        words = [batch, first, lanes, of.frame_skip, int(of.continuous), of.build]
        self.process = subprocess.Popen(
            [sys.executable, "-m", CHILD, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def ask(self, ticks: int) -> None:
        """Begin so many ticks."""
        with suppress(BrokenPipeError):  # `answer` says why
            _open(self.process.stdin).write(f"{ticks}\n")

    def answer(self) -> float:
        """Wait for their end: the processor time that they took."""
        line = _open(self.process.stdout).readline()
        if not line:
            said = _open(self.process.stderr).read().strip().splitlines()[-1:]
            raise EnvwrightError(said[0] if said else "a process of PufferLib's ended early")
        return float(line)

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
