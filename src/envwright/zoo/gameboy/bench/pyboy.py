"""PyBoy as users run it: several consoles as processes, or in one process as threads."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import growth_per_item
from envwright.bench.ppo import NETWORK, HostPPO, HostTraining
from envwright.schema.names import join_options, split_options
from envwright.sim.actions import SEED, action_bank
from envwright.zoo.gameboy.bench.pyboy_workers import PyBoyWorkers, described
from envwright.zoo.gameboy.reference import PyBoyLanes

MOST = 64  # consoles: one takes 40 ms to make and some MB


class PyBoyLoop(Implementation):
    """PyBoys with the rules of a game in plain Python, the same pictures as ours."""

    def __init__(self, role: Role, way: str, sound: bool = True, **options: Any) -> None:
        self.role, self.way, self.sound, self.options = role, way, sound, options
        self.name = f"pyboy-{way}" + ("" if sound else "-silent")
        said = "sound emulated and not sampled" if sound else "no sound emulated"
        where = {
            "threads": "a pool of threads, one a core, writes observations to NumPy buffers",
            "processes": "one process a core; observations stay in their process",
        }
        self.timed = f"PyBoy 2.8.1, {said}; tick(n, render last); {where[way]}"

    @property
    def threads(self) -> int:
        return available_cores()

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= MOST) or (min(MOST, *wanted),)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        return self._processes(batch) if self.way == "processes" else self._threads(batch)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._lanes, min(batch, 32))

    def _lanes(self, count: int, threads: int | None = None) -> PyBoyLanes:
        lanes = PyBoyLanes(*described(self.options), count, threads, self.sound)
        lanes.reset(range(SEED, SEED + count))
        return lanes

    def _threads(self, batch: int) -> Prepared:
        lanes = self._lanes(batch)
        endless = cycle(action_bank(lanes.action_space, batch))

        def run(steps: int) -> int:
            ticks = -(-steps // batch)
            for actions in islice(endless, ticks):
                lanes.step(actions)
            return ticks * batch

        return Prepared(run, close=lanes.close)

    def _processes(self, batch: int) -> Prepared:
        cores = min(self.threads, batch)
        shares = [len(range(first, batch, cores)) for first in range(cores)]
        name = join_options("gameboy", self.options | {"sound": self.sound})
        command = [sys.executable, "-m", "envwright.zoo.gameboy.bench.pyboy", name]
        children = [
            subprocess.Popen(
                [*command, str(share)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for share in shares
        ]
        for child in children:
            _answer(child)  # it is ready
        spent = 0.0

        def run(steps: int) -> int:
            nonlocal spent
            ticks = -(-steps // batch)
            for child in children:
                assert child.stdin is not None
                child.stdin.write(f"{ticks}\n")
                child.stdin.flush()
            spent += sum(float(_answer(child)) for child in children)
            return ticks * batch

        def close() -> None:
            for child in children:
                assert child.stdin is not None
                child.stdin.close()
                child.wait()

        processes = tuple(child.pid for child in children)
        return Prepared(run, close=close, processor=lambda: spent, processes=processes)


class PyBoyPPO(HostPPO):
    """PyBoys in the host loop of PPO, one process a core."""

    counted = 16

    def __init__(
        self, role: Role, sound: bool = True, network: str = NETWORK, **options: Any
    ) -> None:
        super().__init__("gameboy", network=network)
        self.role, self.sound, self.options = role, sound, options
        self.name = "pyboy" + ("" if sound else "-silent")
        said = "sound emulated, as by default" if sound else "no sound emulated"
        self.timed = (
            f"our host loop over PyBoy 2.8.1, {said}; tick(n, render last); one process a core, "
            "pictures in shared memory: rollout is Host.collect, ppo is Host.iterate"
        )

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= MOST) or (min(MOST, *wanted),)

    def lanes(self, batch: int) -> PyBoyWorkers:
        settings, _ = described(self.options)
        return PyBoyWorkers(settings, batch, self.options | {"sound": self.sound})

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        loop = HostTraining(self.host(self.config(batch)), kind)
        workers: Any = loop.host.lanes
        return Prepared(
            loop.run,
            loop.compile_seconds,
            workers.close,
            processor=lambda: time.process_time() + workers.spent(),
            processes=tuple(process.pid for process in workers.processes),
        )

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._in_this_process, self.counted)

    def _in_this_process(self, count: int) -> PyBoyLanes:
        lanes = PyBoyLanes(*described(self.options), count, threads=1, sound=self.sound)
        lanes.reset(range(SEED, SEED + count))
        return lanes


def _answer(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    if not line:
        raise ImportError("a process with PyBoy ended at once; is envwright[reference] installed?")
    return line


def serve(name: str, count: int, read: Callable[[], Any] = lambda: sys.stdin) -> None:
    """Serve as a child process: a number of ticks in, its processor time out."""
    _, options = split_options(name)
    sound = options.pop("sound")
    lanes = PyBoyLanes(*described(options), count, threads=1, sound=sound)
    lanes.reset(range(SEED, SEED + count))
    endless = cycle(action_bank(lanes.action_space, count))
    print("ready", flush=True)
    for line in read():
        began = time.process_time()
        for actions in islice(endless, int(line)):
            lanes.step(actions)
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
