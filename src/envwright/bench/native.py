"""Our Rust environments: buffers stepped in place from a Python loop."""

from __future__ import annotations

from typing import Any

from envwright.bench.implementation import Implementation, Kind, Prepared, Role, stepping
from envwright.bench.memory import growth_per_item
from envwright.core.native import available_cores
from envwright.core.registry import make
from envwright.sim.actions import SEED, action_bank


class NativeLoop(Implementation):
    """`NativeVectorEnv.step`, one call per tick, on one core or on all."""

    role = Role.OURS

    def __init__(self, env: str, cores: int | None = None, **options: Any) -> None:
        self.env, self.options = env, options
        self.cores = available_cores() if cores is None else cores
        self.name = "envwright-rust" + ("" if cores is None else f"-{cores}")
        self.timed = (
            f"NativeVectorEnv.step in a Python loop, {self.cores} threads; actions are checked, "
            "observations, rewards, dones and last observations written to NumPy buffers"
        )

    @property
    def threads(self) -> int:
        return self.cores

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        env = self._make(batch)
        return Prepared(stepping(env, action_bank(env.action_space, batch), batch))

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._make, 2**18)

    def _make(self, lanes: int) -> Any:
        env = make(self.env, backend="rust", num_envs=lanes, threads=self.cores, **self.options)
        env.reset(seed=SEED)
        return env
