"""Shared options of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envwright.agents.choose import NAMES
from envwright.core import limits
from envwright.core.executor import CHOICES
from envwright.core.hardware import HARDWARE

Seed = Annotated[int, typer.Option(min=0, max=limits.SEED, help="Seed of every random choice.")]
ExecutorName = Annotated[str, typer.Option(help=f"Executor of the work: {CHOICES}.")]

# Of the recipe.
Agent = Annotated[
    str,
    typer.Option(help=f"The agent: {', '.join(NAMES)}. Several in turn: compiler,gemini."),
]
Hardware = Annotated[
    str | None,
    typer.Option(help=f"{', '.join(HARDWARE)}: what to be fast on.", show_default="what is here"),
]
NoBench = Annotated[
    bool, typer.Option("--no-bench", help="Write the package without measuring its speed.")
]
PackageName = Annotated[
    str | None,
    typer.Option("--name", help="Name of the package.", show_default="by name and options"),
]
Command = Annotated[
    str | None, typer.Option(help="--agent command: a program that reads the prompt.")
]
Model = Annotated[str | None, typer.Option(help="The model of the agent's CLI.")]
Endpoint = Annotated[str | None, typer.Option(help="An endpoint other than the vendor's.")]
Prices = Annotated[Path | None, typer.Option(help="A price table that overrides ours.")]
Mailbox = Annotated[Path | None, typer.Option(help="--agent mailbox: its folder.")]
Who = Annotated[str | None, typer.Option(help="--agent mailbox: who answers.")]
Tests = Annotated[
    Path | None,
    typer.Option(help="Your own pytest files; what passes on the reference must pass here."),
]
Levels = Annotated[str | None, typer.Option(help="Levels to run, for ablations.")]
Dollars = Annotated[float | None, typer.Option("--budget", help="Maximum dollars.")]
Tokens = Annotated[int | None, typer.Option(help="Maximum number of tokens.")]
Iterations = Annotated[int | None, typer.Option(help="Maximum number of turns of the agent.")]
Minutes = Annotated[float | None, typer.Option(help="Maximum minutes of work.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="--agent replay: also run code that only the files name.")
]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Run agent and code without a sandbox.")]
