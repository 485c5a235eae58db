"""Benchmark of a room that declares none: its backends beside its reference."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.native import NativeLoop
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.ppo import FusedPPO, HostPPO
from envwright.core.registry import make
from envwright.core.room import Room, load_attribute
from envwright.core.spaces import Space
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name, split_options
from envwright.sim.actions import SEED, action_bank
from envwright.sim.records import is_over
from envwright.sim.resolve import open_simulator, opening


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


class OtherReference(Implementation):
    """A reference that Gymnasium does not know by an id: its own steps, or the simulator's."""

    name = "reference"
    role = Role.REFERENCE
    timed = (
        "env.step in a Python loop, env.reset where an episode ends; a reference that is no "
        "Gymnasium environment is stepped as verification does, which also reads its state; batch 1"
    )

    def __init__(self, simulator: str, actions: Space) -> None:
        self.simulator, self.actions = simulator, actions

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return (1,)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        reset, step, close = _steps_of(self.simulator)
        reset(SEED)
        bank = action_bank(self.actions, batch)[:, 0]
        endless, seed = cycle(bank.tolist() if bank.ndim == 1 else bank), SEED

        def run(steps: int) -> int:
            nonlocal seed
            for action in islice(endless, steps):
                if step(action):
                    seed += 1
                    reset(seed)
            return steps

        return Prepared(run, close=close)


def _steps_of(
    name: str,
) -> tuple[Callable[[int], Any], Callable[[Any], bool], Callable[[], None]]:
    """Return how to reset, step (returns whether the episode is over) and close a simulator."""
    import gymnasium

    parsed = parse_name(name)
    if parsed.scheme == "python":
        made = load_attribute(parsed.target)
        env = made if isinstance(made, gymnasium.Env) else made(**parsed.options)
        if isinstance(env, gymnasium.Env):

            def step(action: Any) -> bool:
                _, _, terminated, truncated, _ = env.step(action)
                return bool(terminated or truncated)

            return lambda seed: env.reset(seed=seed), step, env.close
    simulator = open_simulator(name)
    return simulator.reset, lambda action: is_over(simulator.step(action)), simulator.close


def implementations_of(room: Room) -> tuple[Implementation, ...]:
    """Return our backends, and the reference if the room names one."""
    ours: list[Implementation] = []
    if "jax" in room.backends:
        ours += [FusedRoom(room.id), FusedPPO(room.id)]
    if "rust" in room.backends:
        ours += [NativeLoop(room.id)]
    if not ours:
        raise EnvwrightError(
            f"{room.name} has no benchmark; name one in its room.py, or pass implementations"
        )
    if not room.reference:
        return tuple(ours)
    reference = parse_name(room.reference)
    if reference.scheme != "gymnasium":
        return (OtherReference(room.reference, _actions(room)), *ours)
    env_id = room.reference.removeprefix("gymnasium:")
    loop = Reference(env_id, _actions(room))
    return (loop, *ours, *(() if reference.query else (HostPPO(env_id),)))


def _actions(room: Room) -> Space:
    with opening(f"envwright:{room.id}"):
        if "jax" in room.backends:
            return make(room.id, backend="jax").action_space()
        return make(room.id, backend="rust", num_envs=1).action_space
