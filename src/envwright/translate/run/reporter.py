"""Report a run's progress to people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envwright.agents.base import Answer
from envwright.translate.verdict import Verdict


@dataclass(frozen=True)
class Reporter:
    """Callbacks for messages and progress."""

    say: Callable[[str], None] = lambda text: None
    progress: Callable[[str, int, int], None] = lambda what, done, total: None


def how_it_ended(answer: Answer, files: list[str]) -> str:
    """Summarise a turn in a line."""
    cost = f", {answer.usage.tokens:,} tokens" if answer.usage.tokens else ""
    cost += f", ${answer.usage.dollars:.4f}" if answer.usage.dollars else ""
    reason = f": {answer.reason}" if answer.reason else ""
    changed = f"{len(files)} files" if files else "nothing"
    return f"  {answer.status}{reason}; changed {changed} in {answer.seconds:.0f} s{cost}"


def how_it_stands(verdict: Verdict) -> str:
    """Summarise a level in a line."""
    if verdict.green:
        return f"  level {verdict.level}: all {verdict.total} tests pass"
    if not verdict.failures:
        return f"  level {verdict.level}: inconclusive: {verdict.undecided}"
    first = verdict.failures[0]
    count = f"{len(verdict.failures)} of {verdict.total}"
    return f"  level {verdict.level}: {count} tests fail; {first.test}: {first.summary}"
