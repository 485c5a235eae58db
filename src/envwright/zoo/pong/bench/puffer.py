"""PufferLib's C environments, each process with its share of the batch.

C holds Python's lock while it steps, so that more cores need more processes. They never wait for
each other within a measurement, which is more than PufferLib's own vectoriser can do.
"""

from __future__ import annotations

from envwright.bench.children import Child, prepared, shares
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import growth_per_item
from envwright.sim.actions import SEED
from envwright.zoo.pong.reference.binding import PufferPong
from envwright.zoo.pong.reference.build import FLAGS, Build

CHILD = "envwright.zoo.pong.bench.puffer_child"


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
        self.cores = available_cores() if cores is None else cores
        self.build: Build = build
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
        each = shares(batch, self.cores)
        words = (self.frame_skip, int(self.continuous), self.build)
        children = [
            Child(CHILD, batch, sum(each[:i]), share, *words) for i, share in enumerate(each)
        ]
        return prepared(children, batch, compiles=False)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._made, 2**16)

    def _made(self, lanes: int) -> PufferPong:
        pong = PufferPong(lanes, self.frame_skip, self.continuous, self.build)
        pong.reset(SEED)
        return pong
