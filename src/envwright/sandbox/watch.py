"""Watch a jail and report the limit that it passes."""

from __future__ import annotations

import time
from collections.abc import Callable

from envwright.sandbox.cgroup import Cgroup
from envwright.sandbox.disk import TooDeep, Usage, filled
from envwright.sandbox.holdings import Holdings
from envwright.sandbox.jail import MB, Limits, Stop
from envwright.sandbox.processes import Inmates
from envwright.sandbox.slices import SHARE

CALM = 0.05  # seconds between two looks
CLOSE = 0.01  # ... above half of a limit that can be passed quickly
SLICE = 0.005  # seconds per look for measuring folders


class Watch:
    """Checks limits; the jail's keeper asks for a verdict and sleeps for `pause` in between."""

    def __init__(
        self,
        limits: Limits,
        inmates: Inmates,
        usage: Usage,
        places: list[int],
        cgroup: Cgroup | None = None,
    ) -> None:
        self._limits, self._inmates, self._cgroup = limits, inmates, cgroup
        self._usage, self._places = usage, places  # folders on disk, file systems in memory
        self._holdings = Holdings(inmates, places)
        self._before = usage.total + filled(places)
        self._began = time.monotonic()
        self._exact = _Paced(inmates.memory)
        self.pause = CALM

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def verdict(self) -> Stop:
        """Return the limit that has been passed, or an empty string."""
        limits, now = self._limits, self._inmates.census()
        self._holdings.measure(SLICE)
        memory = self._memory(now.memory)
        near = memory > limits.memory_mb * MB / 2 or now.processes > limits.processes / 2
        near = near or self._written() > limits.disk_mb * MB / 2
        self.pause = CLOSE if near else CALM
        cpu = float("inf") if limits.cpu_seconds is None else limits.cpu_seconds
        if self.seconds() > limits.seconds or now.cpu_seconds > cpu:
            return "time"
        if now.processes > limits.processes:
            return "processes"
        if memory > limits.memory_mb * MB:
            return "memory"
        hidden = self._holdings.hidden or self._usage.hidden
        return self._disk(lambda: self._usage.measure(SLICE)) or ("hidden" if hidden else "")

    def last(self) -> Stop:
        """Return the verdict after the end, when only files are left."""
        if self._cgroup is not None and self._cgroup.overflowed:
            return "memory"
        self._holdings.release()
        return self._disk(self._usage.measure_all)

    def _memory(self, resident: int) -> int:
        """Return the memory in use; `resident` counts shared memory for each process."""
        counted = None if self._cgroup is None else self._cgroup.memory()
        if counted is not None:
            return counted - filled(self._places)
        held = self._holdings.memory
        if resident + held <= self._limits.memory_mb * MB:
            return resident + held
        return self._exact() + held

    def _written(self) -> int:
        return self._usage.total + filled(self._places) + self._holdings.files - self._before

    def _disk(self, measure: Callable[[], object]) -> Stop:
        try:
            measure()
        except TooDeep:
            return "disk"
        return "disk" if self._written() >= self._limits.disk_mb * MB else ""


class _Paced:
    """A measurement that uses a small share of the time and returns its last result in between."""

    def __init__(self, measure: Callable[[], int]) -> None:
        self._measure, self._last, self._next = measure, 0, 0.0

    def __call__(self) -> int:
        began = time.monotonic()
        if began >= self._next:
            self._last = self._measure()
            ended = time.monotonic()
            self._next = ended + SHARE * (ended - began)
        return self._last
