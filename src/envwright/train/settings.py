"""The settings that a room recommends, in its `translation.toml` under `[train]`."""

from __future__ import annotations

import tomllib
from typing import Any

from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.train.config import PPOConfig, configure

OPTIONS, UNLESS = "options", "unless"


def settings_for(env: str, changes: dict[str, Any] | None = None) -> PPOConfig:
    """The room's settings, with changes; the defaults where it recommends none."""
    return configure(configure(PPOConfig(), recommended(env)), changes or {})


def recommended(env: str) -> dict[str, Any]:
    """Settings of PPO: the table `[train]` of an environment's room, without its options."""
    return {name: value for name, value in _table(env).items() if name != OPTIONS}


def recommended_options(env: str, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Options of the environment itself to train with: the table `[train.options]`.

    None where those `given` hold the one that the table names as `unless`: what fits a room's own
    game does not fit another.
    """
    options = dict(_table(env).get(OPTIONS, {}))
    return {} if options.pop(UNLESS, None) in (given or {}) else options


def _table(env: str) -> dict[str, Any]:
    room = find(env)
    text = room.translation()
    try:
        return tomllib.loads(text).get("train", {}) if text else {}
    except tomllib.TOMLDecodeError as error:
        raise EnvwrightError(f"{room.package}/translation.toml: {error}") from error
