"""The rules of rules.md, played: each test names the rule that it holds the game to."""

import numpy as np
import pytest
from lanterns import KEEP, TURN, Lanterns

SEEDS = range(30)


@pytest.fixture
def env():
    return Lanterns()


def row(obs):
    """The numbers in the row."""
    return [number for number in range(1, 9) if obs[number - 1]]


def starts(env, cards):
    """Games that begin with a row of so many cards, without the wind."""
    count = 0
    for seed in SEEDS:
        obs, _ = env.reset(seed=seed)
        for _ in range(cards):
            obs, *_ = env.step(TURN)
        if len(row(obs)) == cards:
            count += 1
            yield obs
    assert count


def test_1_there_are_36_cards_and_as_many_of_each_number_as_it_says(env):
    env = env.unwrapped
    env.reset(seed=0)
    assert np.bincount(env.pile).tolist() == list(range(9))


@pytest.mark.parametrize("seed", SEEDS)
def test_4_a_number_twice_costs_the_row_and_a_match(env, seed):
    obs, _ = env.reset(seed=seed)
    while obs[8] == 3:
        before = obs
        obs, reward, *_ = env.step(TURN)
    assert row(obs) == [] and obs[8] == 2 and reward == 0
    assert obs[9] == before[9] - 1


@pytest.mark.parametrize(("cards", "bonus"), [(1, 0), (3, 0), (4, 0), (5, 10)])
def test_5_keeping_scores_the_sum_and_a_bonus_for_five(env, cards, bonus):
    for obs in starts(env, cards):
        after, reward, *_ = env.step(KEEP)
        assert reward == sum(row(obs)) + bonus and row(after) == []


def test_6_keeping_nothing_costs_a_point(env):
    obs, _ = env.reset(seed=0)
    after, reward, terminated, _, _ = env.step(KEEP)
    assert reward == -1 and not terminated and (after == obs).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_7_the_game_ends_with_the_last_match_or_card(env, seed):
    obs, _ = env.reset(seed=seed)
    terminated = False
    while not terminated:
        obs, _, terminated, _, _ = env.step(TURN)
        assert terminated == (obs[8] == 0 or obs[9] == 0)
