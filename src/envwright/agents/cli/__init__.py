"""Coding agents that are command-line programs, one module for each."""

from __future__ import annotations

import difflib
from typing import Any

from envwright.agents.cli.agent import CliAgent
from envwright.agents.cli.claude import CLAUDE
from envwright.agents.cli.codex import CODEX
from envwright.agents.cli.gemini import GEMINI
from envwright.agents.cli.mini import MINI
from envwright.agents.cli.opencode import OPENCODE
from envwright.agents.cli.tool import CliTool
from envwright.errors import EnvwrightError

__all__ = ["PROGRAMS", "CliAgent", "CliTool", "cli_agent"]

PROGRAMS = {program.name: program for program in (GEMINI, CLAUDE, CODEX, OPENCODE, MINI)}


def cli_agent(name: str, **options: Any) -> CliAgent:
    """Create the agent with this name. The options are those of `CliAgent`."""
    if name not in PROGRAMS:
        near = difflib.get_close_matches(name, PROGRAMS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PROGRAMS)}"
        raise EnvwrightError(f"unknown agent {name!r}; {hint}")
    return CliAgent(PROGRAMS[name], **options)
