"""Where one-step comparisons start: visited, fuzzed, and on both sides of a flip."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from tests.verify import worlds

from envwright.schema.tolerance import Tol, Tolerances
from envwright.sim.records import is_over
from envwright.verify import sampling
from envwright.verify.pair import PairSpec
from envwright.verify.sampling import LONGEST, Sampler, play

ATOL = 1e-5
LOOSE = Tolerances(Tol(atol=ATOL, why="a test"))


def open_pair(tolerances=Tolerances(), make=worlds.Marble, **options):
    return PairSpec(make, make, None, tolerances, **options).open()


@pytest.fixture(scope="module")
def exact():
    return open_pair()


def sampled(pair, seed=0, fuzzed=80, boundary=20):
    sampler = Sampler(pair, seed, ("random", "sticky"))
    seen = sampler.visited(4)
    return seen, sampler.fuzzed(seen, fuzzed), sampler.boundary(seen, boundary)


def kind(case):
    """What flips: ended or not, and the reward."""
    return bool(case.outcome["terminated"]), float(case.outcome["reward"])


def as_bytes(cases):
    return [
        (c.origin, c.action, *(v.tobytes() for v in (*c.state.values(), *c.outcome.values())))
        for c in cases
    ]


def test_the_same_seed_gives_the_same_cases_and_another_seed_others(exact):
    first, again, other = ([as_bytes(c) for c in sampled(exact, s)] for s in (0, 0, 1))
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_every_case_is_what_the_reference_answers_from_that_state(exact):
    for case in [c for cases in sampled(exact) for c in cases]:
        exact.reference.load(case.state)
        record = exact.reference.step(case.action)
        assert all(np.array_equal(record[k], v) for k, v in case.outcome.items())


def test_as_many_cases_come_as_were_asked_for(exact):
    _, fuzzed, boundary = sampled(exact, fuzzed=80, boundary=20)
    assert (len(fuzzed), len(boundary)) == (80, 20)


def test_fuzzed_states_leave_the_range_of_the_visited_ones(exact):
    seen, fuzzed, _ = sampled(exact)
    fastest = max(abs(c.state["velocity"]) for c in seen)
    assert any(abs(c.state["velocity"]) > fastest for c in fuzzed)


@pytest.mark.parametrize(("stray", "far"), [(3.0, True), (0.0, False)])
def test_how_far_fuzzed_states_stray_can_be_said(stray, far):
    seen, fuzzed, _ = sampled(open_pair(stray=stray))
    fastest = max(abs(float(c.state["velocity"])) for c in seen)
    # A fuzzed state is where one step from a drawn one leads, so that a little is always added.
    assert any(abs(c.state["velocity"]) > 1.5 * fastest for c in fuzzed) == far


def test_boundary_cases_come_in_pairs_on_both_sides_of_a_flip(exact):
    _, _, boundary = sampled(exact, boundary=40)
    pairs = list(zip(boundary[::2], boundary[1::2], strict=True))
    assert all(kind(low) != kind(high) for low, high in pairs)
    assert {kind(low)[0] != kind(high)[0] for low, high in pairs} == {True, False}  # ends, rewards


def test_with_exactness_the_two_sides_of_a_flip_are_neighbouring_floats(exact):
    _, _, boundary = sampled(exact, boundary=40)
    for low, high in zip(boundary[::2], boundary[1::2], strict=True):
        assert low.action == high.action
        a, b = (abs(float(c.outcome["state.position"])) for c in (low, high))
        assert 0 < abs(a - b) <= 4 * np.spacing(max(a, b))
        limit = worlds.RIM if kind(low)[0] != kind(high)[0] else worlds.RIM / 2
        assert min(a, b) <= limit <= max(a, b)


def test_with_a_tolerance_both_sides_of_a_flip_are_clear_of_it():
    _, _, boundary = sampled(open_pair(LOOSE), boundary=40)
    distances = []
    for case in boundary:
        position = abs(float(case.outcome["state.position"]))
        distances.append(min(abs(position - worlds.RIM), abs(position - worlds.RIM / 2)))
    assert min(distances) > 0
    assert np.median(distances) > ATOL
    assert max(distances) < 1000 * ATOL


def test_vouched_states_are_never_over(exact):
    _, fuzzed, boundary = sampled(exact)
    assert all(abs(c.state["position"]) <= worlds.RIM for c in fuzzed + boundary)


def test_states_that_are_over_are_sampled_if_asked_for():
    _, fuzzed, _ = sampled(open_pair(include_terminal=True))
    assert any(abs(c.state["position"]) > worlds.RIM for c in fuzzed)


def test_the_last_steps_before_a_time_limit_are_sampled_often():
    _, fuzzed, _ = sampled(open_pair(make=lambda: worlds.timed(400)))
    late = sum(int(c.state["time"]) >= 396 for c in fuzzed)
    assert late > len(fuzzed) / 10
    assert any(c.outcome["truncated"] for c in fuzzed)


def test_states_are_rounded_to_what_the_twin_can_hold():
    pair = PairSpec(worlds.Marble, worlds.Float32Marble, None, LOOSE).open()
    for cases in sampled(pair):
        for case in cases:
            for value in case.state.values():
                assert float(value) == float(np.float32(value))
            pair.reference.load(case.state)  # and the answer is the one to the rounded state
            record = pair.reference.step(case.action)
            assert all(np.array_equal(record[k], v) for k, v in case.outcome.items())


def test_an_episode_is_played_to_its_end(exact):
    episode = play(exact, 0, "random")
    assert [is_over(c.outcome) for c in episode] == [False] * (len(episode) - 1) + [True]
    assert 1 < len(episode) < LONGEST


def test_an_episode_that_nothing_ends_is_left(exact, monkeypatch):
    monkeypatch.setattr("envwright.verify.sampling.LONGEST", 5)
    episode = play(exact, 0, "random")
    assert len(episode) == 5 and not is_over(episode[-1].outcome)


class Carousel(gymnasium.Env):
    """Goes round for ever; `push` is a float that decides nothing."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0, 10, (1,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.push = 0, 0.0
        return np.array([0.0]), {}

    def step(self, action):
        self.place = (self.place + 1) % 5
        self.push = 0.5 * action
        return np.array([float(self.place)]), 0.0, False, False, {}


def test_an_episode_that_only_repeats_itself_is_left(monkeypatch):
    monkeypatch.setattr("envwright.verify.sampling.STALE", 30)
    with_memory = Sampler(open_pair(make=Carousel), 0, ("random",))
    lengths = [len(with_memory._episode(k)) for k in range(3)]
    assert 30 < lengths[0] < 200  # 5 places, 2 pushes and 2 actions were new
    assert lengths[1:] == [31, 31]  # nothing was


def test_nobody_looks_long_for_a_flip_where_no_verdict_was_ever_another():
    sampler = Sampler(open_pair(make=Carousel), 0, ("random",))
    tried = []
    sampler._flip = lambda *ends: tried.append(ends) or []
    assert sampler.boundary(sampler._episode(0)[:50], 6) == []
    assert len(tried) == 60
    marble = Sampler(open_pair(), 0, ("random",))
    marble._flip = sampler._flip
    tried.clear()
    assert marble.boundary(marble.visited(4), 6) == []
    assert len(tried) == 240  # its games end: there is something to find


def test_a_number_without_bounds_is_not_looked_around(exact):
    seen = exact.reference.state()
    endless = [{**seen, "far": np.array(far)} for far in (-1.7e308, 1.7e308, np.inf)]
    spread = sampling._Spread(endless, exact)
    assert "far" not in spread.range and spread.range
    drawn = {float(spread.draw(np.random.default_rng(k), endless[0])["far"]) for k in range(20)}
    assert drawn <= {-1.7e308, 1.7e308, np.inf}
