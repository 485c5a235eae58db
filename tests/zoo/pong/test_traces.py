"""The recorded traces: what is in them, and that the live reference gives them again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.zoo.pong import golden
from tests.zoo.pong.live import needs_reference

from envwright.sim.records import stack, state_of, unstack
from envwright.zoo.pong.reference import PongReference
from envwright.zoo.pong.reference.record import record
from envwright.zoo.pong.reference.simulator import STATE

every_setting = pytest.mark.parametrize("setting", golden.SETTINGS, ids=lambda s: s.name)


@every_setting
def test_whole_games_were_recorded_lost_and_won(setting):
    games = golden.games(setting)
    assert set(games.start) == set(STATE)
    from_the_start = games.start["score_l"] + games.start["score_r"] == 0
    assert games.terminated[:, from_the_start].any()
    ends = games.reward[games.terminated]
    assert {-1.0, 1.0} <= set(ends.tolist())
    assert games.served.min() > 0 and games.served.max() < 64
    assert games.start["serves"].any(axis=1).all()
    points = np.abs(games.reward) == 1
    np.testing.assert_array_equal(points.sum(0), games.served)


@every_setting
def test_single_steps_hold_every_kind_of_outcome(setting):
    steps = golden.steps(setting)
    kinds, counts = np.unique(steps.reward, return_counts=True)
    np.testing.assert_array_equal(kinds, np.float32([-1, 0, 0.1, 1]))
    assert counts.min() >= 40 and steps.terminated.sum() >= 20
    served = np.abs(steps.reward) == 1
    assert set(steps.after["ball_vy"][served].tolist()) == {-1.0, 0.0}
    stale = served & ~steps.terminated
    unchanged = (steps.after["shown"] == steps.before["shown"]).all(axis=1)
    assert unchanged[stale].any() and not unchanged[~served].any()


@needs_reference
def test_the_reference_gives_the_same_files_again(tmp_path):
    for path in record(tmp_path):
        with np.load(path) as now, np.load(golden.TRACES / path.name) as then:
            assert set(now) == set(then)
            for name in now:
                assert now[name].tobytes() == then[name].tobytes(), (path.name, name)
                assert now[name].dtype == then[name].dtype


@needs_reference
@every_setting
def test_a_single_game_that_follows_the_register_goes_as_in_the_shared_stream(setting):
    games = golden.games(setting)
    with PongReference(*setting) as sim:
        for lane, start in enumerate(unstack(games.start)):
            sim.load(start)
            played = stack([sim.step(action) for action in games.actions[:, lane]])
            for name in ("obs", "reward", "terminated"):
                np.testing.assert_array_equal(played[name], getattr(games, name)[:, lane])
            for name, value in sim.state().items():
                if name != "serves":
                    np.testing.assert_array_equal(value, games.end[name][lane])


@needs_reference
@every_setting
def test_single_steps_are_given_again(setting):
    steps = golden.steps(setting)
    with PongReference(*setting) as sim:
        records = sim.step_many(unstack(steps.before), list(steps.actions))
    after = stack([state_of(r) for r in records])
    for name, column in steps.after.items():
        assert after[name].tobytes() == column.tobytes(), name
    np.testing.assert_array_equal([r["reward"] for r in records], steps.reward)
    np.testing.assert_array_equal([r["terminated"] for r in records], steps.terminated)
