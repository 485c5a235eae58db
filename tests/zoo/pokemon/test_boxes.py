"""The declared fields of boxes are the arrays that a context holds, nested as declared."""

import numpy as np
import pytest
from tests.zoo.pokemon import battles

from envwright.zoo.pokemon.engine import moves
from envwright.zoo.pokemon.engine.context import Context


@pytest.fixture(scope="module")
def context():
    context = Context(np, battles.engine().rules, battles.under_way()[0])
    moves.fresh(context)
    return context


def nesting(value):
    return f"list[{nesting(value[0])}]" if isinstance(value, list) else "Array"


@pytest.mark.parametrize("box", ["me", "foe", "bench", "f", "mv"])
def test_a_box_holds_exactly_the_fields_that_it_declares(context, box):
    inside = getattr(context, box)
    assert {name: nesting(value) for name, value in vars(inside).items()} == type(
        inside
    ).__annotations__
