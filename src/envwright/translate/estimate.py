"""What a run may cost, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envwright.translate.goldens import Recording
from envwright.translate.prompts import translate_module
from envwright.translate.spec import TranslationSpec

CHARACTERS = 4  # of a token, about
CALLS = (5, 20)  # requests of an agent in one turn; each reads the prompt again
WRITTEN = 4000  # tokens a turn
REPAIRS = (0, 3)  # turns for each module and level


@dataclass(frozen=True)
class Estimate:
    """From few repairs to many."""

    turns: tuple[int, int]
    tokens: tuple[int, int]

    def __str__(self) -> str:
        return (
            f"about {self.turns[0]} to {self.turns[1]} turns and {self.tokens[0]:,} to "
            f"{self.tokens[1]:,} tokens, most of them read from cache"
        )


def estimate(spec: TranslationSpec, recordings: Sequence[Recording]) -> Estimate:
    """By the length of the prompts and what agents usually do."""
    modules = len(spec.modules)
    prompts = [translate_module(spec, i, recordings) for i in range(modules)]
    stages = modules + len(spec.levels) - 1
    turns = (modules + REPAIRS[0] * stages, modules + REPAIRS[1] * stages)
    mean = sum(map(len, prompts)) / modules / CHARACTERS
    tokens = tuple(int(t * (c * mean + WRITTEN)) for t, c in zip(turns, CALLS, strict=True))
    return Estimate(turns, (tokens[0], tokens[1]))
