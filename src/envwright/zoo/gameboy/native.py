"""Games of the Game Boy in Rust: N consoles in one call, on all cores, into NumPy buffers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envwright._native import GameBoyVecEnv
from envwright.core.native import NativeStep, NativeVectorEnv, available_cores
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.roms import find_rom, read_file, read_rom
from envwright.zoo.gameboy.settings import Condition, Press, Settings, find_game


class NativeGameBoy(NativeVectorEnv):
    """`make("gameboy", num_envs=256)`: Emberkeep, or another `game` (a name, or a TOML file).

    `rom` is the path of its ROM, if it is not found automatically; `observation` ("gray", "index",
    "rgb", "small"), `frame_skip` and `max_steps` replace the values in the game's file. `boot` is
    the file of a boot ROM to start with; without one the console starts where PyBoy's leaves it,
    but for the logo in video RAM. `threads` is the number of cores that this process may use,
    unless given.
    """

    id, version = "gameboy", 1

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        game: str = "emberkeep",
        rom: str | os.PathLike[str] | None = None,
        observation: str | None = None,
        frame_skip: int | None = None,
        max_steps: int | None = None,
        boot: str | os.PathLike[str] | None = None,
    ) -> None:
        settings = find_game(game).changed(observation, frame_skip, max_steps)
        data = read_rom(rom or find_rom(settings.roms, settings.note))
        cores = available_cores() if threads is None else threads
        started = None if boot is None else read_file(boot, "boot ROM")
        try:
            native = GameBoyVecEnv(num_envs, cores, data, boot=started, **arguments(settings))
        except ValueError as error:
            raise EnvwrightError(f"{settings.title}: {error}") from error
        super().__init__(native)
        self.settings = settings
        self.observation_space = Box(0, 255, settings.shape, np.uint8)
        self.action_space = Discrete(len(settings.actions))

    def reset(self, seed: int | Sequence[int | None] | None = None) -> NDArray[Any]:
        with self._start_errors():
            return super().reset(seed)

    def step(self, actions: ArrayLike) -> NativeStep:
        with self._start_errors():
            return super().step(actions)

    def step_into(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        with self._start_errors():
            super().step_into(actions, obs, reward, terminated, truncated)

    @contextmanager
    def _start_errors(self) -> Iterator[None]:
        """Raise an `EnvwrightError` if a game does not begin: its file is wrong, as on PyBoy."""
        try:
            yield
        except ValueError as error:
            if "did not begin" not in str(error):
                raise
            raise EnvwrightError(f"{self.settings.title}: {error}") from error


def arguments(settings: Settings) -> dict[str, Any]:
    """Return settings as plain numbers and texts, for Rust."""
    start = settings.start
    return {
        "cgb": settings.cgb,
        "actions": bytes(settings.actions),
        "frame_skip": settings.frame_skip,
        "press": settings.press,
        "observation": settings.observation,
        "max_steps": settings.max_steps,
        "script": _presses(start.script),
        "seed": None if start.seed is None else (start.seed.address, start.seed.bytes),
        "noops": start.noops,
        "after": _presses(start.after),
        "until": _conditions(start.until),
        "patience": start.patience,
        "reward": [
            (t.address, t.bytes, t.encoding, t.scale, t.kind == "change") for t in settings.reward
        ],
        "done": _conditions(settings.done),
    }


def _presses(presses: tuple[Press, ...]) -> list[tuple[int, int]]:
    return [(press.buttons, press.frames) for press in presses]


def _conditions(conditions: tuple[Condition, ...]) -> list[tuple[int, int, str, str, int]]:
    return [(c.address, c.bytes, c.encoding, c.test, c.value) for c in conditions]
