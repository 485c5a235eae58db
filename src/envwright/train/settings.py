"""The settings that a room recommends, in its `translation.toml` under `[train]`."""

from __future__ import annotations

from typing import Any

from envwright.core.registry import find
from envwright.core.room import OPTIONS, TRAIN
from envwright.train.config import PPOConfig, configure


def settings_for(env: str, changes: dict[str, Any] | None = None) -> PPOConfig:
    """The room's settings, with changes; the defaults where it recommends none."""
    return configure(configure(PPOConfig(), recommended(env)), changes or {})


def recommended(env: str) -> dict[str, Any]:
    """Settings of PPO: the table `[train]` of an environment's room, without its options."""
    return {name: value for name, value in find(env).table(TRAIN).items() if name != OPTIONS}
