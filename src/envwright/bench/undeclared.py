"""What is measured for a room that declares no benchmark: its backends and its reference."""

from __future__ import annotations

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Implementation, Kind, Prepared
from envwright.bench.native import NativeLoop
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.ppo import FusedPPO, HostPPO, NativePPO
from envwright.core.registry import make
from envwright.core.room import Room
from envwright.core.spaces import Space
from envwright.errors import EnvwrightError
from envwright.sim.names import split_options


class Reference(GymnasiumLoop):
    """The reference in a Python loop, with the options in its name."""

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        import gymnasium

        target, options = split_options(self.id)
        made = gymnasium.spec(target).make(**options)
        with_options = made.spec  # what gymnasium.make takes in place of an id
        made.close()
        assert with_options is not None
        return GymnasiumLoop(with_options, self.actions, self.role).prepare(batch, kind)


def implementations_of(room: Room) -> tuple[Implementation, ...]:
    """Return ours, and the reference if it is a Gymnasium environment."""
    ours: list[Implementation] = []
    if "jax" in room.backends:
        ours += [FusedRoom(room.id), FusedPPO(room.id)]
    if "rust" in room.backends:
        ours += [NativeLoop(room.id), NativeLoop(room.id, cores=1), NativePPO(room.id)]
    if not ours:
        raise EnvwrightError(
            f"{room.name} has no benchmark; name one in its room.py, or pass implementations"
        )
    scheme, _, name = room.reference.partition(":")
    if scheme != "gymnasium":
        return tuple(ours)
    loops = (Reference(name, _actions(room)),)
    return (*loops, *ours, *(() if "?" in name else (HostPPO(name),)))


def _actions(room: Room) -> Space:
    if "jax" in room.backends:
        return make(room.id, backend="jax").action_space()
    return make(room.id, backend="rust", num_envs=1).action_space
