"""A twin that fails when many states are stepped at once is never called equal."""

from __future__ import annotations

import pytest
from tests.verify import worlds

from envwright.verify.l1_properties import check_properties, compare_cases
from envwright.verify.pair import PairSpec
from envwright.verify.sampling import Sampler


@pytest.fixture
def pair(monkeypatch):
    opened = PairSpec(worlds.Marble, worlds.Marble).open()

    def step_many(states, actions):
        raise RuntimeError("too many")

    monkeypatch.setattr(opened.twin, "step_many", step_many)
    return opened


def test_it_is_told_where_no_state_alone_shows_it(pair):
    result = check_properties(pair, visited=2, fuzzed=5, boundary=2, starts=0)
    assert result.verdict == "inconclusive"
    assert "RuntimeError (too many) for many states at once" in result.inconclusive


def test_of_a_mutant_it_is_an_answer(pair):
    pair.shrinks = False
    with pytest.raises(RuntimeError, match="too many"):
        compare_cases(pair, Sampler(pair, 0, ("random",)).visited(1), 1)
