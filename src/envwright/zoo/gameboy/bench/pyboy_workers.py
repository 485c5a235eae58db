"""PyBoys for the host loop of PPO, in processes: one a core, pictures in shared memory.

A step is a byte to every process and one back. Anything more (pickles, queues) would make PyBoy
look slower than it is.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from envwright.core.native import available_cores
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options, split_options
from envwright.sim.hosts import HostStep, HostView
from envwright.zoo.gameboy.reference import PyBoyLanes
from envwright.zoo.gameboy.reference.environment import opened
from envwright.zoo.gameboy.settings import Settings

STEP, RESET = b"s", b"r"


def described(options: dict[str, Any]) -> tuple[Settings, bytes]:
    """Return the settings and the ROM of the measured game."""
    changes = {name: options.get(name) for name in ("observation", "frame_skip", "max_steps")}
    settings, rom = opened(options.get("game", "emberkeep"), options.get("rom"))
    return settings.changed(**changes), rom


class Shared:
    """The arrays of a batch, in memory that several processes share."""

    def __init__(self, lanes: int, picture: tuple[int, ...], name: str | None = None) -> None:
        fields = {
            "seeds": ((lanes,), np.int64),
            "spent": ((lanes,), np.float64),  # seconds of the process whose first lane this is
            "actions": ((lanes,), np.int32),
            "reward": ((lanes,), np.float32),
            "terminated": ((lanes,), np.bool_),
            "truncated": ((lanes,), np.bool_),
            "obs": ((lanes, *picture), np.uint8),
            "final_obs": ((lanes, *picture), np.uint8),
        }
        sizes = [int(np.prod(shape)) * np.dtype(kind).itemsize for shape, kind in fields.values()]
        # Its maker frees it, not the processes that open it.
        self.memory = SharedMemory(create=True, size=sum(sizes)) if name is None else _opened(name)
        self.arrays: dict[str, np.ndarray] = {}
        start = 0
        for (field, (shape, kind)), size in zip(fields.items(), sizes, strict=True):
            self.arrays[field] = np.ndarray(shape, kind, self.memory.buf, start)
            start += size

    def close(self, end: bool) -> None:
        """Close the memory; `end` frees it."""
        self.arrays.clear()
        self.memory.close()
        if end:
            self.memory.unlink()


def _opened(name: str) -> SharedMemory:
    from multiprocessing import resource_tracker

    memory = SharedMemory(name)
    # Python 3.11 would free it when this process ends.
    resource_tracker.unregister(memory._name, "shared_memory")  # type: ignore[attr-defined]
    return memory


class PyBoyWorkers:
    """N consoles divided among processes; `options` are those of a benchmark, with `sound`."""

    def __init__(self, settings: Settings, num_envs: int, options: dict[str, Any]) -> None:
        self.num_envs = num_envs
        self.obs_space = Box(0, 255, settings.shape, np.uint8)
        self.action_space = Discrete(len(settings.actions))
        self.shared = Shared(num_envs, settings.shape)
        name = join_options("gameboy", options)
        command = [sys.executable, "-m", __name__, name, self.shared.memory.name, str(num_envs)]
        workers = min(available_cores(), num_envs)
        bounds = [num_envs * worker // workers for worker in range(workers + 1)]
        self.processes = [
            subprocess.Popen(
                [*command, str(first), str(last)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            for first, last in pairwise(bounds)
        ]
        self._heard()  # they are ready

    def reset(self, seeds: Sequence[int]) -> HostView:
        self.shared.arrays["seeds"][:] = seeds
        self._send(RESET)
        return HostView(self.shared.arrays["obs"])

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        arrays = self.shared.arrays
        arrays["actions"][:] = actions
        self._send(STEP)
        names = ("reward", "terminated", "truncated", "final_obs")
        return HostStep(HostView(arrays["obs"]), *(arrays[name] for name in names))

    def spent(self) -> float:
        """Return the seconds that the processes worked so far."""
        return float(self.shared.arrays["spent"].sum())

    def snapshot(self) -> None:
        """Return None: benchmarks are not resumed."""
        return None

    def restore(self, snapshot: bytes) -> HostView:
        raise NotImplementedError

    def close(self) -> None:
        for process in self.processes:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            process.wait()
            process.stdout.close()
        self.shared.close(end=True)

    def _send(self, what: bytes) -> None:
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(what)
            process.stdin.flush()
        self._heard()

    def _heard(self) -> None:
        for process in self.processes:
            assert process.stdout is not None
            if not process.stdout.read(1):
                raise EnvwrightError(
                    "a process with PyBoy ended; is envwright[reference] installed?"
                )


def serve(name: str, memory: str, lanes: int, first: int, last: int) -> None:
    """Serve as a process: play the consoles from `first` to before `last` of so many `lanes`."""
    options = split_options(name)[1]
    sound = options.pop("sound")
    settings, rom = described(options)
    mine = PyBoyLanes(settings, rom, last - first, threads=1, sound=sound)
    shared = Shared(lanes, settings.shape, memory)
    part = {field: array[first:last] for field, array in shared.arrays.items()}
    sys.stdout.buffer.write(b".")
    sys.stdout.buffer.flush()
    while word := sys.stdin.buffer.read(1):
        if word == RESET:
            part["obs"][:] = mine.reset(part["seeds"].tolist()).obs
        else:
            step = mine.step(part["actions"])
            part["obs"][:], part["final_obs"][:] = step.view.obs, step.final_obs
            part["reward"][:] = step.reward
            part["terminated"][:], part["truncated"][:] = step.terminated, step.truncated
        part["spent"][0] = time.process_time()
        sys.stdout.buffer.write(b".")
        sys.stdout.buffer.flush()
    part.clear()
    shared.close(end=False)
    mine.close()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
