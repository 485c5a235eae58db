"""Estimate what a run costs before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envwright.agents.base import Usage
from envwright.translate.goldens import Recording
from envwright.translate.prompts import translate_module
from envwright.translate.spec import TranslationSpec

CHARACTERS = 4  # per token, approximately
CALLS = (5, 20)  # requests of an agent in one turn; each reads what came before again
OWN = 8000  # tokens of an agent's own instructions, in every request
WRITTEN = 4000  # tokens a turn
CACHED = 0.8  # share of the tokens that are read
REPAIRS = (0, 3)  # turns for each module and level


@dataclass(frozen=True)
class Estimate:
    """A range, from few repairs to many."""

    turns: tuple[int, int]
    usage: tuple[Usage, Usage]

    def __str__(self) -> str:
        low, high = (f"{usage.tokens:,}" for usage in self.usage)
        return (
            f"estimate: {self.turns[0]} to {self.turns[1]} turns, {low} to {high} tokens, most of "
            "them read from the endpoint's cache"
        )


def estimate(spec: TranslationSpec, recordings: Sequence[Recording]) -> Estimate:
    """Estimate from the length of the prompts and typical agents."""
    modules = len(spec.modules)
    prompts = [translate_module(spec, i, recordings) for i in range(modules)]
    stages = modules + len(spec.levels) - 1
    turns = (modules + REPAIRS[0] * stages, modules + REPAIRS[1] * stages)
    mean = sum(map(len, prompts)) / modules / CHARACTERS + OWN
    low, high = (_usage(t, c, mean) for t, c in zip(turns, CALLS, strict=True))
    return Estimate(turns, (low, high))


def _usage(turns: int, calls: int, tokens: float) -> Usage:
    # Every request reads the prompt, the instructions and half of what the turn will write.
    read = int(turns * calls * (tokens + WRITTEN / 2))
    return Usage(read, int(CACHED * read), turns * WRITTEN, turns * calls)
