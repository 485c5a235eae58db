"""Settings of PPO on a command line."""

from __future__ import annotations

from typing import Annotated

import typer

from envwright.errors import EnvwrightError

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any setting of PPO: --set gamma=0.98 --set memory=64."),
]


def split_settings(texts: list[str] | None) -> dict[str, str]:
    """Split `NAME=VALUE`; the configuration checks names and values."""
    given = {}
    for text in texts or []:
        name, found, value = text.partition("=")
        if not found:
            raise EnvwrightError(f"--set takes NAME=VALUE, such as gamma=0.98, not {text!r}")
        given[name] = value
    return given
