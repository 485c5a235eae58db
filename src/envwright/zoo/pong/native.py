"""Pong in Rust: N games in one call, on all cores, written into NumPy buffers."""

from __future__ import annotations

from envwright._native import ContinuousPongVecEnv, PongVecEnv
from envwright.core.native import NativeVectorEnv, available_cores
from envwright.zoo.pong.env import Pong


class NativePong(NativeVectorEnv):
    """`make("pong", backend="rust", num_envs=4096)`: the same game as `Pong`, bit for bit.

    `threads` is the number of cores that this process may use, unless given.
    """

    id, version = Pong.id, Pong.version

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        frame_skip: int = 1,
        continuous: bool = False,
    ) -> None:
        same = Pong(frame_skip, continuous)
        game = ContinuousPongVecEnv if continuous else PongVecEnv
        threads = available_cores() if threads is None else threads
        super().__init__(game(num_envs, threads, frame_skip=frame_skip))
        self.observation_space = same.observation_space()
        self.action_space = same.action_space()
