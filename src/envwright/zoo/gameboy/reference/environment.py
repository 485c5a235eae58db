"""A game in PyBoy as an environment, one step at a time, in plain Python."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.reference.pyboy_console import PyBoyConsole
from envwright.zoo.gameboy.reference.rules import holds, read, reward_of
from envwright.zoo.gameboy.reference.splitmix import SplitMix64
from envwright.zoo.gameboy.roms import find_rom, read_rom
from envwright.zoo.gameboy.settings import Press, Settings, find_game


class Outcome(NamedTuple):
    """The outcome of a step."""

    obs: np.ndarray
    reward: np.float32
    terminated: bool
    truncated: bool


def opened(game: str, rom: str | os.PathLike[str] | None) -> tuple[Settings, bytes]:
    """Return a game's settings and its ROM: the given one, or one that is found."""
    settings = find_game(game)
    return settings, read_rom(rom or find_rom(settings.roms, settings.note))


class PyBoyGame:
    """A game in PyBoy. The same seed and actions give the same episodes, one after the other."""

    def __init__(
        self, settings: Settings, rom: bytes, sound: bool = True, start: bytes | None = None
    ) -> None:
        self.settings = settings
        self.console = PyBoyConsole(rom, settings.cgb, sound)
        self._peek = self.console.memory.__getitem__
        if start is None:
            # The last frame is drawn: PyBoy's line counter of the window is reset by that, and
            # not by loading a state.
            self._play(settings.start.script)
            self.console.tick(1, render=True)
            start = self.console.save()
        self.start = start  # the state that every episode begins from

    def reset(self, seed: int) -> np.ndarray:
        """Start the first episode of a seed."""
        self.random = SplitMix64(seed)
        return self.restart()

    def restart(self) -> np.ndarray:
        """Start the next episode."""
        console, start = self.console, self.settings.start
        console.load(self.start)
        if start.seed is not None:
            value = 1 + self.random.below(256**start.seed.bytes - 1)
            for i in range(start.seed.bytes):
                console.poke((start.seed.address + i) & 0xFFFF, value >> 8 * i & 0xFF)
        if start.noops:
            console.tick(self.random.below(start.noops + 1), render=False)
        self._play(start.after)
        self._wait()
        console.tick(1, render=True)
        self.steps = 0
        self.values = self._read()
        return self.observe()

    def step(self, action: int) -> Outcome:
        """Hold buttons for `press` frames, release them for the rest, and draw the last frame."""
        settings, console = self.settings, self.console
        if not 0 <= action < len(settings.actions):
            raise EnvwrightError(f"action {action} is not one of 0 to {len(settings.actions) - 1}")
        console.hold(settings.actions[action])
        rest = settings.frame_skip - settings.press
        console.tick(settings.press, render=rest == 0)
        if rest:
            console.hold(0)
            console.tick(rest, render=True)
        self.steps += 1
        before, self.values = self.values, self._read()
        reward = reward_of(settings.reward, before, self.values)
        terminated = any(holds(condition, self._peek) for condition in settings.done)
        truncated = self.steps >= settings.max_steps and not terminated
        return Outcome(self.observe(), reward, terminated, truncated)

    def observe(self) -> np.ndarray:
        """Return the last drawn frame in the format of the settings."""
        return pictured(self.console.screen, self.settings.observation)

    def close(self) -> None:
        """Stop PyBoy."""
        self.console.close()

    def _play(self, presses: tuple[Press, ...]) -> None:
        for press in presses:
            self.console.hold(press.buttons)
            self.console.tick(press.frames, render=False)
        self.console.hold(0)

    def _wait(self) -> None:
        start = self.settings.start
        for _ in range(start.patience):
            if all(holds(condition, self._peek) for condition in start.until):
                return
            self.console.tick(1, render=False)
        if not all(holds(condition, self._peek) for condition in start.until):
            raise EnvwrightError(
                f"{self.settings.title} did not begin within {start.patience} frames; "
                "change its start"
            )

    def _read(self) -> list[int]:
        return [read(term, self._peek) for term in self.settings.reward]


def pictured(rgba: np.ndarray, observation: str) -> np.ndarray:
    """Convert a screen uint8[144, 160, 4] to uint8[height, width, channels]."""
    if observation == "rgb":
        return rgba[..., :3].copy()
    if observation == "small":  # convert only the pixels that are kept: a whole screen takes 0.2 ms
        return gray_of(rgba[::2, ::2])[..., None]
    gray = gray_of(rgba)[..., None]
    if observation == "gray":
        return gray
    return (3 - (gray.astype(np.uint16) + 42) // 85).astype(np.uint8)


def gray_of(rgba: np.ndarray) -> np.ndarray:
    """Return brightness as the eye sees it, uint8[height, width]; a gray stays the same."""
    red, green, blue = (rgba[..., i].astype(np.uint32) for i in range(3))
    return ((77 * red + 150 * green + 29 * blue + 128) // 256).astype(np.uint8)
