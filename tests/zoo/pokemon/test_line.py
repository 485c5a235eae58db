"""Handlers of the end of a turn are sorted as the simulator sorts them."""

import jax.numpy as jnp
import numpy as np
import pytest

from envwright.zoo.pokemon.engine import line
from envwright.zoo.pokemon.engine.line import Handler, Segment
from envwright.zoo.pokemon.state import LASTING

PLACES = {"a": 1, "b": 2, "c": 0, "d": 4}
BATTLES = 150  # more than two blocks


def speed_sort(handlers):
    """The simulator's selection sort by place, without the shuffle of those that tie."""
    handlers, done = list(handlers), 0
    while done + 1 < len(handlers):
        following = [done]
        for i in range(done + 1, len(handlers)):
            best, here = (list(PLACES).index(handlers[at][0]) for at in (following[0], i))
            if here < best:
                following = [i]
            elif here == best:
                following.append(i)
        for i, index in enumerate(following):
            handlers[done + i], handlers[index] = handlers[index], handlers[done + i]
        done += len(following)
    return handlers


class Lanes:
    """As much of a context as sorting needs."""

    lanes = BATTLES

    def __init__(self, xp):
        self.xp, self.where = xp, xp.where
        self.zero = xp.zeros(BATTLES, xp.int32)


@pytest.fixture(scope="module")
def battles():
    """For each battle and side, which handlers it has and how old their conditions are."""
    generator = np.random.default_rng(0)
    there = generator.random((2, len(PLACES), BATTLES)) < 0.7
    ages = generator.permuted(np.tile(np.arange(1, 5)[:, None], (2, 1, BATTLES)), axis=1)
    field = generator.random(BATTLES) < 0.5
    return there, ages, field


def expected(battles, battle):
    there, ages, field = battles
    row = [("c", 9)] if field[battle] else []
    for side in range(2):
        mine = [
            (ages[side, i, battle], name) for i, name in enumerate(PLACES) if there[side, i, battle]
        ]
        row += [(name, side) for _, name in sorted(mine)]
    order = speed_sort(row)
    both = [name for name in PLACES if (name, 0) in row and (name, 1) in row]
    return sum(PLACES[name] for name in both if order.index((name, 1)) < order.index((name, 0)))


@pytest.mark.parametrize("xp", [np, jnp])
def test_who_stands_first_is_what_a_selection_sort_leaves(battles, xp):
    there, ages, field = battles
    parts = [[Handler("c", xp.asarray(field))]]
    for side in range(2):
        parts.append(
            [
                Handler(
                    name, xp.asarray(there[side, i]), Segment.VOLATILE, xp.asarray(ages[side, i])
                )
                for i, name in enumerate(PLACES)
            ]
        )
    asked = np.arange(BATTLES) % 7 != 0
    found = np.asarray(line.exchanged(Lanes(xp), xp.asarray(asked), parts, PLACES))
    wanted = np.array([expected(battles, b) if asked[b] else 0 for b in range(BATTLES)])
    assert found.tolist() == wanted.tolist()
    assert set(wanted.tolist()) == {0, 2, 4, 6}  # nothing comes before the first place


def test_what_lasts_is_told_apart():
    assert len({(type(kind), kind) for kind in LASTING}) == len(LASTING)
