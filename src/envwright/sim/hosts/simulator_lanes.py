"""Simulators as lanes of the host loop, so that policies can be trained in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envwright.core.env import Env
from envwright.core.limits import PYTHON_LANES, check_whole
from envwright.core.room import load_attribute
from envwright.core.spaces import from_gymnasium
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.hosts import HostStep, HostView
from envwright.sim.records import Fields
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator
from envwright.sim.targets import Target, as_target, open_target


class SimulatorLanes:
    """N simulators, stepped one after the other; each episode has a seed of its own."""

    def __init__(self, make: Callable[[], Simulator], num_envs: int) -> None:
        check_whole("num_envs, times the seeds,", num_envs, 1, PYTHON_LANES)
        self.num_envs = num_envs
        self.simulators = [make() for _ in range(num_envs)]
        self.obs_space = from_gymnasium(self.simulators[0].observation_space)
        self.action_space = from_gymnasium(self.simulators[0].action_space)
        self._seeds = [np.random.default_rng(0) for _ in range(num_envs)]
        self._records: list[Fields] = []

    def reset(self, seeds: Sequence[int]) -> HostView:
        self._seeds = [np.random.default_rng(seed) for seed in seeds]
        self._records = [self._start(lane) for lane in range(self.num_envs)]
        return HostView(self._stacked(self._records))

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        lanes = range(self.num_envs) if active is None else np.flatnonzero(active).tolist()
        reward = np.zeros(self.num_envs, np.float32)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        final = list(self._records)
        for lane in lanes:
            record = self.simulators[lane].step(actions[lane])
            reward[lane] = record["reward"]
            terminated[lane], truncated[lane] = record["terminated"], record["truncated"]
            over = terminated[lane] or truncated[lane]
            final[lane] = record
            self._records[lane] = self._start(lane) if over else record
        view = HostView(self._stacked(self._records))
        return HostStep(view, reward, terminated, truncated, self._stacked(final))

    def snapshot(self) -> None:
        return None  # a simulator in another process cannot be saved

    def restore(self, snapshot: bytes) -> HostView:
        raise EnvwrightError("simulators cannot be restored")

    def close(self) -> None:
        for simulator in self.simulators:
            simulator.close()

    def _start(self, lane: int) -> Fields:
        return self.simulators[lane].reset(int(self._seeds[lane].integers(2**31)))

    def _stacked(self, records: list[Fields]) -> Any:
        """Observations `[N, …]`; several parts are a dict."""
        names = [name for name in records[0] if name == "obs" or name.startswith("obs.")]
        parts = {name: np.stack([record[name] for record in records]) for name in names}
        if names == ["obs"]:
            return parts["obs"]
        return {name.removeprefix("obs."): part for name, part in parts.items()}


def transfer_target(name: str) -> Target:
    """Return what policies are trained and evaluated in: the fastest way to run a simulator."""
    parsed = parse_name(name)
    scheme, target, options = parsed.scheme, parsed.target, parsed.options
    if scheme == "gymnasium" or (scheme == "envwright" and options.get("dtype") != "float64"):
        return open_target(name)  # float64 would switch all of JAX to it, the learner too
    if scheme == "python":
        thing = load_attribute(target)
        if isinstance(thing, Simulator):
            raise EnvwrightError(f"{name} is one simulator and level 4 runs many; name its class")
        made = thing if isinstance(thing, Env) or not callable(thing) else thing(**options)
        if not isinstance(made, Simulator) or made.trains_as_lanes:
            return as_target(thing, name, options)
        made.close()
    return lambda lanes: SimulatorLanes(lambda: open_simulator(name), lanes)
