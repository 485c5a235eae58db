"""Several PyBoys stepped by a pool of threads: PyBoy releases Python's lock while it runs."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from envwright.core.native import available_cores
from envwright.core.spaces import Box, Discrete
from envwright.sim.hosts import HostStep, HostView
from envwright.zoo.gameboy.reference.environment import PyBoyGame
from envwright.zoo.gameboy.reference.splitmix import SplitMix64
from envwright.zoo.gameboy.settings import Settings


class PyBoyLanes:
    """N games for the host loop of training; an ended one restarts in the same step."""

    def __init__(
        self,
        settings: Settings,
        rom: bytes,
        num_envs: int,
        threads: int | None = None,
        sound: bool = True,
    ) -> None:
        self.num_envs = num_envs
        self.obs_space = Box(0, 255, settings.shape, np.uint8)
        self.action_space = Discrete(len(settings.actions))
        first = PyBoyGame(settings, rom, sound)
        others = (PyBoyGame(settings, rom, sound, first.start) for _ in range(num_envs - 1))
        self.games = [first, *others]
        rows = (num_envs, *settings.shape)
        self.obs, self.final_obs = np.zeros(rows, np.uint8), np.zeros(rows, np.uint8)
        self.reward = np.zeros(num_envs, np.float32)
        self.terminated, self.truncated = np.zeros((2, num_envs), bool)
        workers = min(threads or available_cores(), num_envs)
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._shares = [range(first, num_envs, workers) for first in range(workers)]

    def reset(self, seeds: Sequence[int]) -> HostView:
        def start(lanes: range) -> None:
            for lane in lanes:
                self.obs[lane] = self.games[lane].reset(int(seeds[lane]))

        self._each(start)
        return HostView(self.obs)

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        def play(lanes: range) -> None:
            for lane in lanes:
                if active is None or active[lane]:
                    self._step(lane, int(actions[lane]))

        self._each(play)
        view = HostView(self.obs)
        return HostStep(view, self.reward, self.terminated, self.truncated, self.final_obs)

    def snapshot(self) -> bytes | None:
        consoles = [(game.console.save(), game.console.held) for game in self.games]
        games = [(game.random.state, game.steps, game.values) for game in self.games]
        return pickle.dumps((consoles, games, self.obs))

    def restore(self, snapshot: bytes) -> HostView:
        consoles, games, self.obs[:] = pickle.loads(snapshot)
        for game, console, (random, steps, values) in zip(self.games, consoles, games, strict=True):
            game.console.load(*console)
            game.random, game.steps, game.values = SplitMix64(random), steps, values
        return HostView(self.obs)

    def close(self) -> None:
        for game in self.games:
            game.close()
        if self._pool is not None:
            self._pool.shutdown()

    def _step(self, lane: int, action: int) -> None:
        game = self.games[lane]
        step = game.step(action)
        self.reward[lane] = step.reward
        self.terminated[lane], self.truncated[lane] = step.terminated, step.truncated
        if step.terminated or step.truncated:
            self.final_obs[lane] = step.obs
            self.obs[lane] = game.restart()
        else:
            self.obs[lane] = step.obs

    def _each(self, work) -> None:
        if self._pool is None:
            work(self._shares[0])
        else:
            list(self._pool.map(work, self._shares))
