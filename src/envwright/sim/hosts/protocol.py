"""What the host loop needs of environments that it steps from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from envwright.core.spaces import Space


class HostView(NamedTuple):
    """What the lanes see and may do; the next step may overwrite the arrays."""

    obs: Any  # [N, …]
    legal: np.ndarray | None = None  # bool[N, actions]
    acting: np.ndarray | None = None  # bool[N], whose choice is played; None: everyone's


class HostStep(NamedTuple):
    """What a step brought; an ended episode is followed by the next at once."""

    view: HostView
    reward: np.ndarray  # float32[N]
    terminated: np.ndarray  # bool[N]
    truncated: np.ndarray  # bool[N]
    final_obs: Any  # [N, …], meaningful where an episode ended


class HostLanes(Protocol):
    """N environments of one player, stepped together; a game of several has a lane for each."""

    @property
    def num_envs(self) -> int:
        """How many lanes there are."""
        ...

    @property
    def obs_space(self) -> Space: ...

    @property
    def action_space(self) -> Space: ...

    def reset(self, seeds: Sequence[int]) -> HostView:
        """Start lane i anew with `seeds[i]`; the same seeds give the same episodes."""
        ...

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        """One step; lanes that are not `active` (bool[N]) may be left where they are."""
        ...

    def snapshot(self) -> bytes | None:
        """Everything, to go on from later; None where the environments cannot be saved."""
        ...

    def restore(self, snapshot: bytes) -> HostView:
        """Go on from a snapshot."""
        ...

    def close(self) -> None:
        """Give back what the environments hold."""
        ...


def players_of(lanes: HostLanes) -> int:
    """How many lanes follow each other and share a game: one, unless they say otherwise."""
    return getattr(lanes, "players", 1)
