"""Makes a failing program small: fewest actions first, then the plainest start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from envwright.sim.records import Fields
from envwright.verify.pair import Found, Pair, Program

BUDGET = 300  # runs of a program


class _Search:
    """Keeps the smallest program that still fails in the same way."""

    def __init__(self, pair: Pair, program: Program, found: Found) -> None:
        self.pair, self.program, self.found = pair, program, found
        self.left = BUDGET

    def accept(self, candidate: Program) -> bool:
        """Try a candidate; keep it if the same field still differs."""
        if self.left == 0:
            return False
        self.left -= 1
        found = self.pair.run(candidate)
        if found is None or _family(found) != _family(self.found):
            return False
        self.program, self.found = candidate, found
        return True


def shrink(pair: Pair, program: Program, found: Found) -> tuple[Program, Found]:
    """The shortest program found that still shows the difference, and how it shows.

    Where states can be transplanted, one action from the last state that agreed is
    usually enough; else actions are removed in ever smaller runs (delta debugging).
    """
    if not pair.shrinks:
        return program, found
    search = _Search(pair, program, found)
    search.accept(replace(program, actions=program.actions[: found.step + 1]))
    if pair.transplants and not pair.stochastic and found.before is not None:
        last = Program([search.program.actions[found.step]], program.seed, found.before)
        search.accept(last)
    _remove_actions(search)
    if search.program.start is not None:
        _simplify_start(search)
    return search.program, search.found


def _family(found: Found) -> tuple[str, bool]:
    """What must stay the same for a smaller program to show the same thing.

    Observation and state differ together, so that either may be the one that is named.
    """
    root = found.mismatch.field.partition("[")[0].partition(".")[0]
    return "state" if root == "obs" else root, bool(found.raised)


def _remove_actions(search: _Search) -> None:
    size = len(search.program.actions) // 2
    while size >= 1 and search.left:
        at = 0
        while at < len(search.program.actions) and search.left:
            kept = search.program.actions[:at] + search.program.actions[at + size :]
            if not search.accept(replace(search.program, actions=kept)):
                at += size
        size //= 2


def _simplify_start(search: _Search) -> None:
    for name in list(search.program.start or {}):
        value = search.program.start[name]  # type: ignore[index]
        if value.dtype.kind != "f":
            continue
        for at in np.ndindex(value.shape):
            for plainer in _plainer(float(search.program.start[name][at])):  # type: ignore[index]
                if search.accept(_with(search.program, name, at, plainer)):
                    break


def _plainer(value: float) -> list[float]:
    """Simpler numbers to try, simplest first."""
    return [0.0, *(float(f"{value:.{digits}g}") for digits in (1, 2, 3, 5))]


def _with(program: Program, name: str, at: tuple[int, ...], value: float) -> Program:
    start: Fields = dict(program.start or {})
    start[name] = start[name].copy()
    start[name][at] = value
    return replace(program, start=start)
