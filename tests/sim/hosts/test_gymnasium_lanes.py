"""Gymnasium environments as lanes: ends, masks, seeds and snapshots."""

import gymnasium
import numpy as np
import pytest
from tests import kinds
from tests.train.twins import HeldRing, MaskedRing, RandomRing, RingTwin
from tests.train.worlds import RING_LIMIT

from envwright.errors import EnvwrightError
from envwright.sim.action_rows import unflatten_action
from envwright.sim.hosts import GymnasiumLanes

LANES = 3
SEEDS = [5, 6, 7]


def random_actions(steps, seed=0):
    return np.random.default_rng(seed).integers(2, size=(steps, LANES))


def copied(step):
    return [np.array(x) for x in (step.view.obs, step.reward, step.terminated, step.truncated)]


def play(lanes, actions):
    return [copied(lanes.step(row)) for row in actions]


def test_lanes_play_what_the_environments_play_one_by_one():
    lanes = GymnasiumLanes(RandomRing, LANES)
    alone = [RandomRing() for _ in range(LANES)]
    lanes.reset(SEEDS)
    for env, seed in zip(alone, SEEDS, strict=True):
        env.reset(seed=seed)
    ended = 0
    for row in random_actions(60):
        step = lanes.step(row)
        for lane, env in enumerate(alone):
            obs, reward, terminated, truncated, _ = env.step(row[lane])
            if terminated or truncated:
                ended += 1
                assert np.array_equal(step.final_obs[lane], obs)
                obs, _ = env.reset()
            assert np.array_equal(step.view.obs[lane], obs) and step.reward[lane] == reward
            assert step.terminated[lane] == terminated
    assert ended > 10


def test_a_fall_at_the_time_limit_is_a_fall():
    lanes = GymnasiumLanes(RingTwin, 1)
    lanes.reset([0])
    for _ in range(RING_LIMIT - 1):
        lanes.envs[0].at = 0
        lanes.step(np.array([1]))
    lanes.envs[0].at = 2  # two from the hole, at the very last step
    step = lanes.step(np.array([1]))
    assert step.terminated[0] and not step.truncated[0]


def test_the_same_seeds_give_the_same_episodes_again():
    lanes, actions = GymnasiumLanes(RandomRing, LANES), random_actions(30)
    runs = []
    for _ in range(2):
        lanes.reset(SEEDS)
        runs.append(play(lanes, actions))
    for first, second in zip(*runs, strict=True):
        assert all(map(np.array_equal, first, second))


def test_masks_are_read_at_resets_and_steps():
    lanes = GymnasiumLanes(MaskedRing, LANES)
    view = lanes.reset(SEEDS)
    for _ in range(40):
        odd = [env.at % 2 == 1 for env in lanes.envs]
        assert view.legal[:, 0].tolist() == odd and view.legal[:, 1].all()
        view = lanes.step(np.ones(LANES, int)).view
    assert GymnasiumLanes(RandomRing, LANES).reset(SEEDS).legal is None


def test_lanes_that_rest_stay_where_they_are():
    lanes = GymnasiumLanes(RingTwin, LANES)
    before = lanes.reset(SEEDS).obs.copy()
    step = lanes.step(np.ones(LANES, int), active=np.array([True, False, True]))
    assert np.array_equal(step.view.obs[1], before[1])
    assert (step.view.obs[[0, 2]] == [2, 1]).all()


@pytest.mark.parametrize("make", [RandomRing, MaskedRing, lambda: gymnasium.make("CartPole-v1")])
def test_another_batch_goes_on_from_a_snapshot(make):
    lanes, actions = GymnasiumLanes(make, LANES), random_actions(40)
    actions = np.maximum(actions, make is MaskedRing)  # where 1 is always legal
    lanes.reset(SEEDS)
    play(lanes, actions[:17])
    snapshot = lanes.snapshot()
    expected = play(lanes, actions[17:])
    other = GymnasiumLanes(make, LANES)
    other.reset([0, 0, 0])
    view = other.restore(snapshot)
    assert (view.legal is None) == (lanes.legal is None)
    for one, two in zip(expected, play(other, actions[17:]), strict=True):
        assert all(map(np.array_equal, one, two))


class Stubborn(RandomRing):
    """Refuses to be pickled with an error of its own kind."""

    def __getstate__(self):
        raise RuntimeError("the simulator is busy")


class Forgetful(RandomRing, gymnasium.utils.EzPickle):
    """Is pickled as the arguments that it was made with."""

    def __init__(self):
        gymnasium.utils.EzPickle.__init__(self)
        super().__init__()


@pytest.mark.parametrize("make", [HeldRing, Stubborn, Forgetful])
def test_what_cannot_be_pickled_has_no_snapshot(make):
    lanes = GymnasiumLanes(make, LANES)
    lanes.reset(SEEDS)
    assert lanes.snapshot() is None


@pytest.mark.parametrize("kind", [kinds.Named, kinds.Mixed])
def test_observations_and_actions_of_several_parts_are_those_of_the_environment(kind):
    lanes, alone = GymnasiumLanes(kind, 1), kind()
    lanes.reset([3])
    alone.reset(seed=3)
    row = np.array([2.0, 1.0, 0.5]) if kind is kinds.Mixed else np.array([1, 2])
    step = lanes.step(row[None])
    seen = alone.step(unflatten_action(row, alone.action_space))[0]
    parts = dict(enumerate(seen)) if isinstance(seen, tuple) else seen
    for name, part in parts.items():
        if name == "mission":  # a text is dropped
            assert name not in step.view.obs
        else:
            np.testing.assert_array_equal(step.view.obs[name][0], part)


def test_observations_of_a_varying_shape_are_refused():
    class Growing(RandomRing):
        observation_space = gymnasium.spaces.Sequence(gymnasium.spaces.Discrete(7))

    with pytest.raises(EnvwrightError, match="no fixed shape"):
        GymnasiumLanes(Growing, LANES)
