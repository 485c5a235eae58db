"""The settings that a room recommends, in its `translation.toml` under `[train]`."""

from __future__ import annotations

from typing import Any

from envwright.core.registry import find
from envwright.schema.translation import room_translation
from envwright.train.config import PPOConfig, configure


def settings_for(env: str, changes: dict[str, Any] | None = None) -> PPOConfig:
    """Return the room's settings with changes, or the defaults if it recommends none."""
    return configure(configure(PPOConfig(), recommended(env)), changes or {})


def recommended(env: str) -> dict[str, Any]:
    """Return a room's settings of PPO: the table `[train]` without its options."""
    translation = room_translation(find(env))
    return translation.training if translation else {}
