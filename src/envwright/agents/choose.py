"""Create an agent from its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from envwright.agents.base import Agent
from envwright.agents.compiler.job import Job
from envwright.agents.replay import ReplayAgent
from envwright.errors import EnvwrightError
from envwright.schema.recording import Recording

CLIS = ("gemini", "codex", "opencode", "mini-swe-agent", "claude")
NAMES = ("compiler", *CLIS, "command", "mailbox", "replay")
DEFAULT = "compiler"
BACKENDS = ("jax", "rust")
WRITES = {"compiler": ("jax",)}  # agents that do not write every backend


@dataclass(frozen=True)
class AgentRequest:
    """Agent options from the command line."""

    name: str
    command: str | None = None  # for `command`
    model: str | None = None  # for the CLIs
    endpoint: str | None = None
    prices: Path | None = None
    recording: Recording | None = None  # for `replay`
    job: Job | None = None  # for `compiler`
    mailbox: Path | None = None
    who: str | None = None  # answers the mailbox
    unsafe: bool = False
    told: Callable[[str], None] = lambda text: None
    ready: Mapping[str, Agent] = field(default_factory=dict)  # created already, by name


def checked(request: AgentRequest) -> AgentRequest:
    """Return the request with the agents that need no job, recording or mailbox created.

    Raises for wrong agent options, before any work.
    """
    _reject_unused_options(request)
    early = [
        each
        for each in _singles(request)
        if each.name in (*CLIS, "command") or each.name not in NAMES
    ]
    return replace(request, ready={each.name: _alone(each) for each in early})


def choose_agent(request: AgentRequest) -> Agent:
    """Create the requested agent. Raises `EnvwrightError` if something is missing."""
    _reject_unused_options(request)
    parts = [request.ready.get(each.name) or _alone(each) for each in _singles(request)]
    if len(parts) == 1:
        return parts[0]
    from envwright.agents.chain import ChainAgent

    return ChainAgent(parts, request.told)


def named(agent: str) -> list[str]:
    """Split `compiler,gemini` into its agent names."""
    return [name.strip() for name in agent.split(",") if name.strip()]


def writes(agent: str) -> tuple[str, ...]:
    """Return the backends that an agent writes; in a chain, the first agent decides."""
    return WRITES.get((named(agent) or [agent])[0], BACKENDS)


def writers(agent: str, backend: str) -> list[str]:
    """Return those agents of a chain that write a backend."""
    return [name for name in named(agent) if backend in WRITES.get(name, BACKENDS)]


def _singles(request: AgentRequest) -> list[AgentRequest]:
    """Split a request for a chain; one that names nothing stays, to be rejected."""
    return [replace(request, name=name) for name in named(request.name) or [request.name]]


def _alone(request: AgentRequest) -> Agent:
    """Create a single agent."""
    if request.name == "compiler":
        from envwright.agents.compiler import CompilerAgent

        if request.job is None:
            raise EnvwrightError("the compiler only writes translations; choose another agent")
        return CompilerAgent(request.job)
    if request.name == "command":
        from envwright.agents.command import CommandAgent

        if not request.command:
            raise EnvwrightError("--agent command needs --command 'PROGRAM ARGS'")
        return CommandAgent(request.command, confined=not request.unsafe)
    if request.name == "mailbox":
        from envwright.agents.mailbox import MailboxAgent

        assert request.mailbox is not None
        who = request.who or MailboxAgent.who
        return MailboxAgent(request.mailbox, who, told=request.told)
    if request.name == "replay":
        if request.recording is None:
            raise EnvwrightError("there is no recording to replay; choose another agent")
        return ReplayAgent(request.recording)
    if request.name in CLIS:
        from envwright.agents.cli import cli_agent
        from envwright.agents.prices import load_prices

        return cli_agent(
            request.name,
            model=request.model,
            endpoint=request.endpoint,
            prices=load_prices(request.prices) if request.prices else None,
            unsafe=request.unsafe,
        )
    raise EnvwrightError(f"unknown agent {request.name!r}; use {', '.join(NAMES)}")


def _reject_unused_options(request: AgentRequest) -> None:
    """Reject options that the requested agents do not use."""
    names = named(request.name)
    if request.command and "command" not in names:
        raise EnvwrightError("--command requires --agent command; remove it")
    for option in ("model", "endpoint", "prices"):
        if getattr(request, option) and not set(names) & set(CLIS):
            raise EnvwrightError(f"--{option} requires an agent with a model, not {request.name}")
    if request.who and "mailbox" not in names:
        raise EnvwrightError("--who requires --agent mailbox; remove it")
