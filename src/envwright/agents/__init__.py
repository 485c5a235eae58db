"""Coding agents behind one protocol: real CLIs, any program, a mailbox, a recorded run."""

from __future__ import annotations

from envwright.agents.base import Agent, Allowance, Answer, Status, Task, Usage

__all__ = ["Agent", "Allowance", "Answer", "Status", "Task", "Usage"]
