"""The Game Boy in Rust beside PyBoy: the same game, pictures and drawn frames."""

from __future__ import annotations

from typing import Any

from envwright.bench.implementation import Implementation, Role
from envwright.bench.memory import growth_per_item
from envwright.bench.native import NativeLoop
from envwright.bench.ppo import NativePPO
from envwright.train.settings import recommended
from envwright.zoo.gameboy.bench.pyboy import PyBoyLoop, PyBoyPPO, described

# What `bench --all` runs through; with a frame skip of 1 every frame is drawn. A ROM has no such
# values: it is measured when it is given.
OPTIONS: dict[str, tuple[Any, ...]] = {"frame_skip": (24, 1), "rom": ()}
MOST, COUNTED = 512, 256


class GameBoyLoop(NativeLoop):
    """Our emulator; a console takes a few hundred kilobytes, which limits the batch."""

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= MOST) or (MOST,)

    def bytes_per_env(self, batch: int) -> float | None:
        return growth_per_item(self._make, COUNTED)


class GameBoyPPO(NativePPO):
    """Our emulator in the host loop of PPO."""

    counted = COUNTED

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= MOST)


def implementations(frame_skip: int = 24, rom: str | None = None) -> tuple[Implementation, ...]:
    """Return all implementations; a ROM runs without rules, Emberkeep with its own."""
    options: dict[str, Any] = {"frame_skip": frame_skip, "observation": "small"}
    options |= {} if rom is None else {"game": "played", "rom": str(rom)}
    described(options)  # rejects invalid settings
    network = recommended("gameboy")["network"]  # PPO is timed with the options for training
    return (
        PyBoyLoop(Role.REFERENCE, "processes", **options),
        GameBoyLoop("gameboy", **options),
        GameBoyLoop("gameboy", cores=1, **options),
        PyBoyLoop(Role.PEER, "processes", sound=False, **options),
        PyBoyLoop(Role.PEER, "threads", **options),
        PyBoyLoop(Role.PEER, "threads", sound=False, **options),
        PyBoyPPO(Role.REFERENCE, network=network, **options),
        GameBoyPPO("gameboy", network=network, **options),
        PyBoyPPO(Role.PEER, sound=False, network=network, **options),
    )
