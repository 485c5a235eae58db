"""The Pokemon that wait. Benches stay at their player: side 0's is `c.bench.x[0]`, always."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.context import PARTY, Context, has, put
from envwright.zoo.pokemon.engine.status import cure
from envwright.zoo.pokemon.state import Cond, Mon, Status

SLOTS = 5


def refresh(c: Context) -> None:
    """Compute the facts about benches: who could come in, who was put to sleep."""
    alive, asleep, gone = [], [], []
    for side in range(2):
        count, slept = c.zero, c.no
        for slot in range(SLOTS):
            marks = c.bench.marks[side][slot]
            there = c.bench.species[side][slot] != 0
            awake = there & ~has(marks, Mon.FAINTED)
            count = count + c.i(awake)
            sleeping = awake & (c.bench.status[side][slot] == Status.SLEEP)
            slept = slept | (sleeping & ~has(marks, Mon.SLEPT_BY_SELF))
        gone.append(sum(c.i(has(marks, Mon.FAINTED)) for marks in c.bench.marks[side]))
        alive.append(count)
        asleep.append(slept)
    for name, (first, second) in {"alive": alive, "fainted": gone, "asleep": asleep}.items():
        setattr(c.me, f"bench_{name}", c.where(c.f.flip, second, first))
        setattr(c.foe, f"bench_{name}", c.where(c.f.flip, first, second))


def exchange(c: Context, on: Array, slot: Array) -> None:
    """Exchange `me` with the party member in a slot 1..5."""
    me = c.me
    for side in range(2):
        here = on & (c.f.flip == bool(side))
        for name in PARTY:
            bench = getattr(c.bench, name)[side]
            out = me.__dict__[name]
            coming = out
            for place in range(SLOTS):
                chosen = here & (slot == place + 1)
                coming, bench[place] = _swap(c, chosen, coming, bench[place], out)
            me.__dict__[name] = coming


def _swap(c: Context, on: Array, coming: Any, waiting: Any, out: Any) -> tuple[Any, Any]:
    if isinstance(out, list):
        pairs = [_swap(c, on, a, b, o) for a, b, o in zip(coming, waiting, out, strict=True)]
        return [a for a, _ in pairs], [b for _, b in pairs]
    return c.where(on, waiting, coming), c.where(on, out, waiting)


def random_slot(c: Context, on: Array) -> Array:
    """Draw a random party slot of `me` that could come in."""
    awake = []
    for slot in range(SLOTS):
        sides = [
            (c.bench.species[side][slot] != 0) & ~has(c.bench.marks[side][slot], Mon.FAINTED)
            for side in range(2)
        ]
        awake.append(c.where(c.f.flip, sides[1], sides[0]))
    count = sum(c.i(x) for x in awake)
    pick = c.draw(on & (count > 0), c.xp.maximum(count, 1))
    chosen, seen = c.zero, c.zero
    for slot in range(SLOTS):
        chosen = c.where(awake[slot] & (seen == pick) & (chosen == 0), slot + 1, chosen)
        seen = seen + c.i(awake[slot])
    return chosen


def revive(c: Context, on: Array) -> None:
    """Revive the chosen fainted party member of `me` with half its HP."""
    me = c.me
    for side in range(2):
        for slot in range(SLOTS):
            here = on & (c.f.flip == bool(side)) & (me.chosen_slot == slot + 1)
            one = c.bench
            one.marks[side][slot] = put(c, here, one.marks[side][slot], Mon.FAINTED, False)
            half = c.xp.maximum(c.div(one.maxhp[side][slot], 2), 1)
            one.hp[side][slot] = c.where(here, half, one.hp[side][slot])
            one.status[side][slot] = c.where(here, 0, one.status[side][slot])
    me.left = c.where(on, me.left + 1, me.left)
    me.conditions[Cond.REVIVAL] = c.where(on, 0, me.conditions[Cond.REVIVAL])
    me.switch_flag = c.where(on, 0, me.switch_flag)
    refresh(c)


def cure_team(c: Context, on: Array) -> Array:
    """Cure the whole team of `me`; return the lanes in which anyone was ill."""
    worked = cure(c, on, c.me)
    for side in range(2):
        here = on & (c.f.flip == bool(side))
        for slot in range(SLOTS):
            ill = here & (c.bench.status[side][slot] != 0)
            ill = ill & ~has(c.bench.marks[side][slot], Mon.FAINTED)
            c.bench.status[side][slot] = c.where(ill, 0, c.bench.status[side][slot])
            c.bench.status_turns[side][slot] = c.where(ill, 0, c.bench.status_turns[side][slot])
            worked = worked | ill
    refresh(c)
    return worked
