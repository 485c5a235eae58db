"""Processes that each do a share of a benchmark: a number of ticks in, their processor time out.

They never wait for each other within a measurement.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from envwright.bench.implementation import Prepared
from envwright.errors import EnvwrightError


class Child:
    """A process that runs a module of this package with some arguments."""

    def __init__(
        self, module: str, *words: Any, surroundings: Mapping[str, str] | None = None
    ) -> None:
        self.module = module
        # Not a pipe, which fills up when it is not read.
        self.said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            text=True,
            bufsize=1,
            env={**os.environ, **(surroundings or {})},
        )

    def ask(self, ticks: int) -> None:
        """Start so many ticks."""
        with suppress(BrokenPipeError):  # `answer` says why
            _open(self.process.stdin).write(f"{ticks}\n")

    def answer(self) -> float:
        """Wait for the next number that it prints. Raises an error if it ended with one."""
        line = _open(self.process.stdout).readline()
        if not line:
            self.said.seek(0)
            said = self.said.read().strip().splitlines()[-1:]
            raise EnvwrightError(said[0] if said else f"a process of {self.module} ended early")
        return float(line)

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()
        self.said.close()


def shares(batch: int, count: int) -> list[int]:
    """Divide a batch as evenly as possible."""
    return [batch // count + (i < batch % count) for i in range(count)]


def prepared(
    children: Sequence[Child], batch: int, *, compiles: bool, at_once: int = 1
) -> Prepared:
    """Prepare warm children that have `batch` environments together.

    Children that compile first report how long that took. Ticks are requested in groups of
    `at_once`.
    """
    processor = [0.0]

    def run(steps: int) -> int:
        ticks = -(-steps // (batch * at_once)) * at_once
        for child in children:
            child.ask(ticks)
        processor[0] += sum(child.answer() for child in children)
        return ticks * batch

    def close() -> None:
        for child in children:
            child.close()

    try:
        compile_seconds = max(child.answer() for child in children) if compiles else 0.0
        run(batch)
    except BaseException:
        close()
        raise
    pids = tuple(child.process.pid for child in children)
    return Prepared(
        run, compile_seconds, close=close, processor=lambda: processor[0], processes=pids
    )


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
