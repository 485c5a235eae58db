"""A failing playthrough is made as small as it gets, and still fails in the same way."""

from __future__ import annotations

import numpy as np
from tests.verify import worlds
from tests.verify.worlds import LEFT, RIGHT, STAY

from envwright.verify.pair import PairSpec, Playthrough
from envwright.verify.shrink import BUDGET, shrink


def shrunk(twin, playthrough, reference=worlds.Marble):
    pair = PairSpec(reference, twin).open()
    found = pair.run(playthrough)
    assert found is not None
    small, again = shrink(pair, playthrough, found)
    assert pair.run(small).mismatch.field == again.mismatch.field
    return small, again, pair


def noise(count, seed=3):
    """Actions among which right, left, right never comes in a row."""
    rng = np.random.default_rng(seed)
    return [int(a) for a in rng.choice([LEFT, STAY], count)]


def test_three_actions_in_a_row_are_found_among_noise_without_state_access():
    actions = [*noise(4), RIGHT, LEFT, RIGHT, *noise(5)]
    small, found, pair = shrunk(worlds.ComboMarble, Playthrough(actions, seed=1))
    assert not pair.transplants
    assert small.actions == [RIGHT, LEFT, RIGHT]
    assert small.seed == 1 and small.start is None
    assert found.step == 2


def test_one_action_from_the_last_state_that_agreed_is_enough_with_state_access():
    playthrough = Playthrough([RIGHT] * 30, seed=0)
    small, found, pair = shrunk(worlds.RaisingMarble, playthrough)
    assert pair.transplants
    assert small.actions == [RIGHT]
    assert small.start["position"] > 0.6
    assert found.step == 0 and found.raised


def test_the_start_becomes_as_plain_as_it_can_be():
    start = {"position": np.asarray(0.7345678), "velocity": np.asarray(-0.0123456)}
    small, _, _ = shrunk(worlds.RaisingMarble, Playthrough([STAY], start=start))
    assert float(small.start["position"]) == 0.7
    assert float(small.start["velocity"]) == 0.0


def test_a_start_that_matters_stays():
    start = {"position": np.asarray(0.61), "velocity": np.asarray(0.25)}
    small, _, _ = shrunk(worlds.RaisingMarble, Playthrough([STAY], start=start))
    assert float(small.start["position"]) == 0.61  # 0.6 would not raise


def test_actions_after_the_difference_are_dropped():
    playthrough = Playthrough([RIGHT, LEFT, RIGHT, *noise(20)], seed=1)
    small, _, _ = shrunk(worlds.ComboMarble, playthrough)
    assert small.actions == [RIGHT, LEFT, RIGHT]


def test_a_held_action_shrinks_to_the_shortest_hold():
    playthrough = Playthrough([LEFT, STAY, *[RIGHT] * 5], seed=2)
    small, found, _ = shrunk(worlds.TiredMarble, playthrough)
    assert small.actions == [RIGHT] * 3
    assert found.step == 2


class TouchyMarble(worlds.ComboMarble):
    """Besides the bonus, it raises when it is pushed right twice."""

    def pay(self):
        if self._box.moves[-2:] == [RIGHT, RIGHT]:
            raise ValueError("again?")
        return super().pay()


def test_a_smaller_program_that_fails_otherwise_is_not_taken():
    small, found, pair = shrunk(TouchyMarble, Playthrough([RIGHT, LEFT, RIGHT], seed=1))
    assert pair.run(Playthrough([RIGHT, RIGHT], seed=1)).raised
    assert (small.actions, found.mismatch.field) == ([RIGHT, LEFT, RIGHT], "reward")


def test_shrinking_ends():
    pair = PairSpec(worlds.Marble, worlds.DeadMarble).open()
    runs = 0
    run = pair.run

    def counted(playthrough):
        nonlocal runs
        runs += 1
        return run(playthrough)

    playthrough = Playthrough([STAY] * 2000, seed=0)
    found = run(playthrough)
    pair.run = counted
    small, _ = shrink(pair, playthrough, found)
    assert len(small.actions) == 1
    assert runs <= BUDGET


def test_nothing_is_shrunk_where_only_the_verdict_counts():
    pair = PairSpec(worlds.Marble, worlds.ComboMarble).open()
    playthrough = Playthrough([STAY, RIGHT, LEFT, RIGHT], seed=1)
    found = pair.run(playthrough)
    quick = pair.with_twin(pair.twin)
    assert shrink(quick, playthrough, found) == (playthrough, found)
