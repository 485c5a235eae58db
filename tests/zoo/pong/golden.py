"""Reads the traces of PufferLib's C environment; `traces/README.md` says what they hold."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from envwright.sim.records import Fields
from envwright.zoo.pong.reference.record import SETTINGS, Setting

TRACES = Path(__file__).parent / "traces"

__all__ = ["SETTINGS", "TRACES", "Games", "Setting", "Steps", "games", "steps"]


class Games(NamedTuple):
    """Games played side by side; load `start`, give the actions, and all of it must follow."""

    start: Fields  # [N, …], every field of the state
    actions: np.ndarray  # int32[T, N] or float32[T, N, 1]
    obs: np.ndarray  # float32[T, N, 8]
    reward: np.ndarray  # float32[T, N]
    terminated: np.ndarray  # bool[T, N]
    end: Fields  # [N, …], without `serves`
    served: np.ndarray  # int32[N]


class Steps(NamedTuple):
    """Single steps, each by itself."""

    before: Fields  # [R, …]
    actions: np.ndarray  # int32[R] or float32[R, 1]
    after: Fields  # [R, …]; `shown` is the observation
    reward: np.ndarray  # float32[R]
    terminated: np.ndarray  # bool[R]


def games(setting: Setting) -> Games:
    """The recorded games of a setting."""
    table = _read(f"games-{setting.name}.npz")
    action, obs, reward, terminated = (
        np.moveaxis(table[name], -1, 0) for name in ("action", "obs", "reward", "terminated")
    )
    actions = action[..., None] if setting.continuous else action.astype(np.int32)
    ends = _part(table, "start."), _part(table, "end.")
    return Games(ends[0], actions, obs, reward, terminated, ends[1], table["served"])


def steps(setting: Setting) -> Steps:
    """The recorded single steps of a setting."""
    table = _read(f"steps-{setting.name}.npz")
    actions = table["action"] if setting.continuous else table["action"].astype(np.int32)
    before, after = _part(table, "before."), _part(table, "after.")
    return Steps(before, actions, after, table["reward"], table["terminated"])


def _read(name: str) -> Fields:
    with np.load(TRACES / name) as file:
        return dict(file)


def _part(table: Fields, prefix: str) -> Fields:
    return {k.removeprefix(prefix): v for k, v in table.items() if k.startswith(prefix)}
