"""Shrink what shows a difference: a search for smaller scripts, and moves to find them.

A script is a dataclass with `actions`. A move proposes smaller scripts to the search, which
keeps each one that still shows the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

S = TypeVar("S")  # a script
D = TypeVar("D")  # how it shows


@dataclass
class Search(Generic[S, D]):
    """The smallest script so far, and how it shows the difference."""

    script: S
    found: D
    shows: Callable[[S], tuple[S, D] | None]  # the script as it was played, and what it showed
    left: int  # scripts that may still be tried, or what they may cost
    cost: Callable[[S], int] = lambda script: 1  # the cost of a try

    def accept(self, candidate: S) -> bool:
        """Try a candidate; keep it if it still shows the difference."""
        cost = self.cost(self.script)
        if self.left < cost:
            return False
        self.left -= cost
        shown = self.shows(candidate)
        if shown is None:
            return False
        self.script, self.found = shown
        return True


Move = Callable[[Search], None]


def shrink(search: Search[S, D], moves: Sequence[Move], rounds: int = 1) -> None:
    """Make all moves, up to `rounds` times, as long as a round finds something smaller."""
    for _ in range(rounds):
        before = search.script
        for move in moves:
            move(search)
        if search.script is before or search.left <= 0:
            return


def drop_actions(search: Search[Any, Any], size: int | None = None) -> None:
    """Remove actions in ever smaller runs (delta debugging), from half of them or a size on."""
    size = len(search.script.actions) // 2 if size is None else size
    while size >= 1 and search.left > 0:
        at = 0
        while at < len(search.script.actions) and search.left > 0:
            actions = search.script.actions
            kept = actions[:at] + actions[at + size :]
            if not search.accept(replace(search.script, actions=kept)):
                at += size
        size //= 2


def simplify_actions(plainer: Callable[[Any], Iterable[Any]]) -> Move:
    """Return a move that replaces each action by the first simpler one that works."""

    def move(search: Search[Any, Any]) -> None:
        at = 0
        while at < len(search.script.actions) and search.left > 0:
            for other in plainer(search.script.actions[at]):
                actions = search.script.actions
                changed = [*actions[:at], other, *actions[at + 1 :]]
                if search.accept(replace(search.script, actions=type(actions)(changed))):
                    break
            at += 1

    return move


def propose(candidates: Callable[[Any], Iterable[Any]]) -> Move:
    """Return a move that tries candidates, and begins anew with each that is kept."""

    def move(search: Search[Any, Any]) -> None:
        again = True
        while again and search.left > 0:
            again = False
            for candidate in candidates(search.script):
                again = search.accept(candidate)
                if again or search.left <= 0:
                    break

    return move
