"""Episodes are counted while they are played."""

import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.train.episodes import Finished, Running, count


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]))
def test_counts_are_those_of_a_plain_loop(seed, players):
    rng = np.random.default_rng(seed)
    envs, steps, gamma = 3, 12, 0.5
    lanes = envs * players
    reward = rng.integers(-3, 4, (steps, lanes)).astype(np.float32)
    done = np.repeat(rng.random((steps, envs)) < 0.3, players, axis=1)
    running, finished = Running.none(lanes), Finished.none()
    returns, lengths, tails = [], [], []
    total, length, tail = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
    for t in range(steps):
        running, ended, discounted = count(running, reward[t], jnp.array(done[t]), gamma, players)
        finished = finished + ended
        total, length, tail = total + reward[t], length + 1, gamma * tail + reward[t]
        tails.append(np.array_equal(np.asarray(discounted), tail.astype(np.float32)))
        first = [lane for lane in range(0, lanes, players) if done[t, lane]]
        returns += total[first].tolist()
        lengths += length[first].tolist()
        for x in (total, length, tail):
            x[done[t]] = 0
    assert int(finished.episodes) == len(returns)
    assert float(finished.total) == sum(returns), "the first player's returns only"
    assert float(finished.length) == sum(lengths)
    assert all(tails)
    assert np.array_equal(np.asarray(running.total), total.astype(np.float32))
    assert np.array_equal(np.asarray(running.length), length)
