"""The protocol between the recipe and a coding agent.

An agent receives a task, changes files in the workspace, and returns. The recipe finds the changes
by inspecting the workspace; it records what the agent says but does not trust it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from envwright.errors import EnvwrightError, Exit
from envwright.schema.recording import Status, Usage


class AgentFailed(EnvwrightError):
    """The agent cannot continue, and asking again would not help."""

    exit_code = Exit.AGENT_FAILED


@dataclass(frozen=True)
class Allowance:
    """The budget of a turn. None means no limit."""

    seconds: float = 1800.0
    dollars: float | None = None
    tokens: int | None = None


class TaskKind(StrEnum):
    """Kind of a turn. Journals store the values."""

    TRANSLATE = "translate"  # write one module
    INTERACTIONS = "interactions"  # write tests between modules
    REPAIR = "repair"  # make failing tests pass
    OPTIMISE = "optimise"  # make verified code faster


@dataclass(frozen=True)
class Task:
    """One turn of the recipe. Agents keep no memory between turns."""

    number: int  # the turn's place in its run, from 1
    kind: TaskKind
    title: str  # for people and recordings: "translate dynamics", "repair level 3"
    prompt: str
    workspace: Path  # the agent may change it; its working directory
    folder: Path  # the turn's folder outside the workspace: logs, settings, recorded exchanges
    allowance: Allowance = Allowance()
    module: str = ""  # the module to write, for TaskKind.TRANSLATE


@dataclass(frozen=True)
class Answer:
    """Outcome of a turn. `reason` is one sentence for people if the turn failed."""

    status: Status
    reason: str = ""
    text: str = ""  # the agent's last message
    usage: Usage = Usage()
    seconds: float = 0.0

    def failed(self, reason: str) -> Answer:
        """Return the answer of a turn whose files cannot be kept."""
        ended = self.status in ("auth", "budget")
        return replace(self, status=self.status if ended else "crash", reason=reason)


class Agent(Protocol):
    """A coding agent."""

    @property
    def name(self) -> str: ...

    @property
    def patient(self) -> bool:
        """Whether its work survives an interruption and is kept when the turn is asked again."""
        ...

    def ask(self, task: Task) -> Answer:
        """Let the agent work on the task until it is done or must stop."""
        ...

    def describe(self) -> dict[str, str]:
        """Describe the agent for the journal: kind, version, model, and what its costs mean."""
        ...
