"""Shrink a failing playthrough: fewest actions first, then the simplest start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from envwright.sim.records import Fields
from envwright.verify.pair import Found, Pair, Playthrough
from envwright.verify.traces.shrink import Search, drop_actions
from envwright.verify.traces.shrink import shrink as make_moves

BUDGET = 300  # runs of a playthrough


def shrink(pair: Pair, playthrough: Playthrough, found: Found) -> tuple[Playthrough, Found]:
    """Return the shortest playthrough found that still shows the difference, and how it shows.

    Where states can be transplanted, one action from the last state that agreed is
    usually enough; else actions are removed in ever smaller runs (delta debugging).
    """
    if not pair.shrinks:
        return playthrough, found

    def shows(candidate: Playthrough) -> tuple[Playthrough, Found] | None:
        shown = pair.run(candidate)
        return (candidate, shown) if shown and _family(shown) == _family(found) else None

    def last_action(search: Search[Playthrough, Found]) -> None:
        if pair.transplants and not pair.stochastic and found.before is not None:
            action = search.script.actions[found.step]
            search.accept(Playthrough([action], playthrough.seed, found.before))

    search = Search(playthrough, found, shows, BUDGET)
    make_moves(search, (_cut, last_action, drop_actions, _simplify_start))
    return search.script, search.found


def _cut(search: Search[Playthrough, Found]) -> None:
    """Drop the actions after the difference."""
    actions = search.script.actions[: search.found.step + 1]
    search.accept(replace(search.script, actions=actions))


def _family(found: Found) -> tuple[str, bool]:
    """Return what must stay the same for a smaller playthrough to show the same difference.

    Observation and state differ together, so that either may be the one that is named.
    """
    root = found.mismatch.field.partition("[")[0].partition(".")[0]
    return "state" if root == "obs" else root, bool(found.raised)


def _simplify_start(search: Search[Playthrough, Found]) -> None:
    for name, value in dict(search.script.start or {}).items():
        if value.dtype.kind != "f":
            continue
        for at in np.ndindex(value.shape):
            for plainer in _plainer(float(search.script.start[name][at])):  # type: ignore[index]
                if search.accept(_with(search.script, name, at, plainer)):
                    break


def _plainer(value: float) -> list[float]:
    """Yield simpler numbers to try, simplest first."""
    return [0.0, *(float(f"{value:.{digits}g}") for digits in (1, 2, 3, 5))]


def _with(playthrough: Playthrough, name: str, at: tuple[int, ...], value: float) -> Playthrough:
    start: Fields = dict(playthrough.start or {})
    start[name] = start[name].copy()
    start[name][at] = value
    return replace(playthrough, start=start)
