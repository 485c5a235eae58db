"""Pong in Rust and JAX beside PufferLib's C."""

from __future__ import annotations

from typing import Any

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Implementation, Role
from envwright.bench.native import NativeLoop
from envwright.bench.ppo import FusedPPO, HostPPO, NativePPO
from envwright.core.registry import make
from envwright.sim.hosts import HostLanes
from envwright.zoo.pong.bench.puffer import PufferLoop

OPTIONS = {"frame_skip": (1, 8)}  # and what `bench --all` runs through


class PufferPPO(HostPPO):
    """PufferLib's C in the host loop, all environments in one process."""

    name = "pufferlib-c"
    role = Role.REFERENCE
    timed = (
        "our host loop with our network (not PufferLib's trainer) over binding.vec_step, which "
        "uses one core: rollout is Host.collect, ppo is Host.iterate"
    )
    counted = 2**16

    def __init__(self, gru: bool, **options: Any) -> None:
        super().__init__("pong", gru)
        self.options = options

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return wanted

    def lanes(self, batch: int) -> HostLanes:
        from envwright.zoo.pong.reference.puffer_lanes import PongReferenceLanes

        return PongReferenceLanes(batch, **self.options)


def implementations(frame_skip: int = 1) -> tuple[Implementation, ...]:
    """Return all implementations, with so many sub-frames per step."""
    make("pong", frame_skip=frame_skip)  # rejects invalid settings
    options: dict[str, Any] = {"frame_skip": frame_skip}
    return (
        PufferLoop(Role.REFERENCE, frame_skip),
        NativeLoop("pong", **options),
        FusedRoom("pong", strategy="inline", **options),
        NativeLoop("pong", cores=1, **options),
        PufferLoop(Role.PEER, frame_skip, cores=1),
        PufferLoop(Role.PEER, frame_skip, build="native"),
        *(
            each
            for gru in (False, True)
            for each in (
                PufferPPO(gru, **options),
                NativePPO("pong", gru, **options),
                FusedPPO("pong", gru, **options),
            )
        ),
    )
