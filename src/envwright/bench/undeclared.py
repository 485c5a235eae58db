"""Benchmark of a room that declares none: its JAX environment beside its reference."""

from __future__ import annotations

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Implementation, Kind, Prepared
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.ppo import FusedPPO, HostPPO
from envwright.core.registry import make
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name, split_options


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
    if "jax" not in room.backends:
        raise EnvwrightError(
            f"{room.name} has no benchmark; name one in its room.py, or pass implementations"
        )
    reference = parse_name(room.reference)
    ours = (FusedRoom(room.id), FusedPPO(room.id))
    if reference.scheme != "gymnasium":
        return ours
    env_id = room.reference.removeprefix("gymnasium:")
    loops = (Reference(env_id, make(room.id, backend="jax").action_space()),)
    return (*loops, *ours, *(() if reference.query else (HostPPO(env_id),)))
