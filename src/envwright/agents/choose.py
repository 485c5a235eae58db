"""An agent by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from envwright.agents.base import Agent
from envwright.agents.compiler.job import Job
from envwright.agents.replay import Recording, ReplayAgent
from envwright.errors import EnvwrightError

CLIS = ("gemini", "codex", "opencode", "mini-swe-agent", "claude")
NAMES = ("compiler", *CLIS, "command", "mailbox", "replay")
DEFAULT = "compiler"


@dataclass(frozen=True)
class Wish:
    """What a person asks for on the command line."""

    name: str
    command: str | None = None  # of `command`
    model: str | None = None  # of the CLIs
    endpoint: str | None = None
    prices: Path | None = None
    recording: Recording | None = None  # of `replay`
    job: Job | None = None  # of `compiler`
    mailbox: Path | None = None
    who: str | None = None  # answers the mailbox
    unsafe: bool = False
    told: Callable[[str], None] = lambda text: None


def choose_agent(wish: Wish) -> Agent:
    """The agent of this name, or one sentence that says what is missing."""
    _refuse_what_nobody_reads(wish)
    if "," in wish.name:
        from envwright.agents.chain import ChainAgent

        parts = [_alone(replace(wish, name=name)) for name in named(wish.name)]
        return ChainAgent(parts, wish.told)
    return _alone(wish)


def named(agent: str) -> list[str]:
    """The agents of `compiler,gemini`, in order."""
    return [name.strip() for name in agent.split(",") if name.strip()]


def _alone(wish: Wish) -> Agent:
    """One agent."""
    if wish.name == "compiler":
        from envwright.agents.compiler import CompilerAgent

        if wish.job is None:
            raise EnvwrightError(
                "the compiler writes translations and nothing else; choose another"
            )
        return CompilerAgent(wish.job)
    if wish.name == "command":
        from envwright.agents.command import CommandAgent

        if not wish.command:
            raise EnvwrightError("--agent command needs --command 'PROGRAM ARGS'")
        return CommandAgent(wish.command, confined=not wish.unsafe)
    if wish.name == "mailbox":
        from envwright.agents.mailbox import MailboxAgent

        assert wish.mailbox is not None
        who = {"who": wish.who} if wish.who else {}
        return MailboxAgent(wish.mailbox, told=wish.told, **who)
    if wish.name == "replay":
        if wish.recording is None:
            raise EnvwrightError("there is nothing to replay here; choose another agent")
        return ReplayAgent(wish.recording)
    if wish.name in CLIS:
        from envwright.agents.cli import cli_agent
        from envwright.agents.prices import load_prices

        return cli_agent(
            wish.name,
            model=wish.model,
            endpoint=wish.endpoint,
            prices=load_prices(wish.prices) if wish.prices else None,
            unsafe=wish.unsafe,
        )
    raise EnvwrightError(f"unknown agent {wish.name!r}; use {', '.join(NAMES)}")


def _refuse_what_nobody_reads(wish: Wish) -> None:
    """An option that would change nothing is a mistake."""
    names = named(wish.name)
    if wish.command and "command" not in names:
        raise EnvwrightError("--command is for --agent command; leave it out")
    for option in ("model", "endpoint", "prices"):
        if getattr(wish, option) and not set(names) & set(CLIS):
            raise EnvwrightError(f"--{option} is for an agent with a model, not {wish.name}")
    if wish.who and "mailbox" not in names:
        raise EnvwrightError("--who is for --agent mailbox; leave it out")
