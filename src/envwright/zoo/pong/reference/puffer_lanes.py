"""Many games of the reference for the host loop of training, as PufferLib runs them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.sim.hosts import HostStep, HostView
from envwright.zoo.pong.reference.binding import SEEDS, STRUCT, PufferPong
from envwright.zoo.pong.reference.libc import Stream

# The fields that change during a game; the pointers must stay those of this process.
PLAYED = [
    name
    for name in STRUCT.names or ()
    if STRUCT[name] != np.uintp and name not in ("frameskip", "continuous")
]


class PongReferenceLanes:
    """N games in C that share one private stream of `rand()` for serves."""

    def __init__(self, num_envs: int, frame_skip: int = 1, continuous: bool = False) -> None:
        self.pong = PufferPong(num_envs, frame_skip, continuous)
        self.num_envs = num_envs
        self.obs_space = from_gymnasium(self.pong.single_observation_space)
        self.action_space = from_gymnasium(self.pong.single_action_space)
        self._stream = Stream()

    def reset(self, seeds: Sequence[int]) -> HostView:
        """Start all games; C takes one seed, which is made of all of these."""
        (word,) = np.random.SeedSequence([int(seed) for seed in seeds]).generate_state(1)
        with self._stream:
            return HostView(self.pong.reset(int(word) % (SEEDS // self.num_envs)))

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        # Step all games: skipping one would cost more.
        with self._stream:
            obs, reward, terminated, truncated = self.pong.step(actions)
        # C has begun the next game already; the last observation of the old one is not shown.
        return HostStep(HostView(obs), reward, terminated, truncated, obs)

    def snapshot(self) -> bytes | None:
        games = {name: self.pong.structs[name].copy() for name in PLAYED}
        return pickle.dumps((games, self.pong.observations.copy(), self._stream.snapshot()))

    def restore(self, snapshot: bytes) -> HostView:
        games, self.pong.observations[:], stream = pickle.loads(snapshot)
        for name, values in games.items():
            self.pong.structs[name] = values
        self._stream.restore(stream)
        return HostView(self.pong.observations)

    def close(self) -> None:
        self.pong.close()
