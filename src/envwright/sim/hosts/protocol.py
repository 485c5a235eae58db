"""The protocol of environments that the host loop steps from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from envwright.core.spaces import Space


class HostView(NamedTuple):
    """Observations and legal actions of the lanes; the next step may overwrite the arrays."""

    obs: Any  # [N, …]
    legal: np.ndarray | None = None  # bool[N, actions]
    acting: np.ndarray | None = None  # bool[N], whose choice is played; None: everyone's


class HostStep(NamedTuple):
    """The outcome of a step; an ended episode restarts in the same step."""

    view: HostView
    reward: np.ndarray  # float32[N]
    terminated: np.ndarray  # bool[N]
    truncated: np.ndarray  # bool[N]
    final_obs: Any  # [N, …], meaningful where an episode ended


class HostLanes(Protocol):
    """N environments of one player, stepped together; a game of several has a lane for each."""

    @property
    def num_envs(self) -> int:
        """The number of lanes."""
        ...

    @property
    def obs_space(self) -> Space: ...

    @property
    def action_space(self) -> Space: ...

    def reset(self, seeds: Sequence[int]) -> HostView:
        """Start lane i anew with `seeds[i]`; the same seeds give the same episodes."""
        ...

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        """Take a step; lanes that are not `active` (bool[N]) may be left where they are."""
        ...

    def snapshot(self) -> bytes | None:
        """Return everything that is needed to continue later; None if this is not possible."""
        ...

    def restore(self, snapshot: bytes) -> HostView:
        """Continue from a snapshot."""
        ...

    def close(self) -> None:
        """Release what the environments hold."""
        ...


def players_of(lanes: HostLanes) -> int:
    """Return how many consecutive lanes share a game; one by default."""
    return getattr(lanes, "players", 1)
