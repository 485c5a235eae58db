"""A game in PyBoy, for verification and, as several consoles, for training."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np

from envwright.sim.records import Fields, outcome
from envwright.sim.simulator import Simulator
from envwright.zoo.gameboy.reference.environment import PyBoyGame, opened
from envwright.zoo.gameboy.reference.pyboy_lanes import PyBoyLanes


class GameBoyReference(Simulator):
    """PyBoy with the rules of a game's file, in plain Python.

    Its state is PyBoy's own and takes 30 ms to be saved, so it is not shown: two sides are matched
    by their seeds. Memory is compared frame by frame elsewhere.
    """

    trains_as_lanes = True

    def __init__(
        self,
        game: str = "emberkeep",
        rom: str | os.PathLike[str] | None = None,
        observation: str | None = None,
        frame_skip: int | None = None,
        max_steps: int | None = None,
    ) -> None:
        settings, self._rom = opened(game, rom)
        self.settings = settings.changed(observation, frame_skip, max_steps)
        self.name = f"PyBoy with {self.settings.title}"
        self.time_limit = self.settings.max_steps
        self.observation_space = gymnasium.spaces.Box(0, 255, self.settings.shape, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(len(self.settings.actions))
        self._game: PyBoyGame | None = None

    def lanes(self, num_envs: int) -> PyBoyLanes:
        """Return several consoles for the host loop of training."""
        return PyBoyLanes(self.settings, self._rom, num_envs)

    def reset(self, seed: int) -> Fields:
        return {"obs": self.game.reset(seed)}

    def step(self, action: Any) -> Fields:
        step = self.game.step(int(action))
        return outcome(step.obs, step.reward, step.terminated, step.truncated)

    def close(self) -> None:
        if self._game is not None:
            self._game.close()
            self._game = None

    @property
    def game(self) -> PyBoyGame:
        """The console, switched on when it is first needed."""
        if self._game is None:
            self._game = PyBoyGame(self.settings, self._rom)
        return self._game
