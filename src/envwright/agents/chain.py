"""A chain of agents: a task that one agent cannot do goes to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from envwright.agents.base import Agent, AgentFailed, Answer, Task, Usage


class ChainAgent:
    """Asks each agent in turn, passing on why the agents before it failed."""

    def __init__(
        self, agents: Sequence[Agent], told: Callable[[str], None] = lambda text: None
    ) -> None:
        self.agents = tuple(agents)
        self.told = told
        self.name = ",".join(agent.name for agent in self.agents)
        self.patient = any(agent.patient for agent in self.agents)

    def ask(self, task: Task) -> Answer:
        reasons: list[str] = []
        for agent in self.agents:
            try:
                return agent.ask(replace(task, prompt=task.prompt + _said(reasons)))
            except AgentFailed as error:
                if agent is self.agents[-1]:
                    raise
                reasons.append(str(error))
                self.told(f"  {error}")
        raise AgentFailed("there is no agent to ask")

    def describe(self) -> dict[str, str]:
        known: dict[str, str] = {"kind": self.name}
        for agent in self.agents:
            known |= {f"{agent.name} {k}": v for k, v in agent.describe().items() if k != "kind"}
        return known

    @property
    def price(self) -> Callable[[Usage], float | None] | Any:
        """The price function of the first agent that has one; None if no agent costs money."""
        found = (getattr(agent, "price", None) for agent in self.agents)
        return next((price for price in found if price is not None), None)


def _said(reasons: list[str]) -> str:
    if not reasons:
        return ""
    listed = "\n".join(f"- {reason}" for reason in reasons)
    return f"\n\n## Asked before you\n{listed}\n"
