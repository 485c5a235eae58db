"""What an agent learns from a roll-out that was made by hand."""

from dataclasses import replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.spaces import Box, Discrete
from envwright.train import PPOConfig
from envwright.train.ppo import PPO, Choice, Rollout, View

STEPS, LANES, ACTIONS = 4, 6, 3
OBS = Box(-np.inf, np.inf, (2,))
# One gradient step on everything; each row is a world of its own, and no size of a gradient
# couples actor and critic.
ONCE = PPOConfig(
    num_envs=LANES,
    rollout=STEPS,
    epochs=1,
    minibatches=1,
    gamma=0.0,
    network="8",
    anneal=False,
    max_grad_norm=1e9,
)


@lru_cache
def algorithm(config, space=Discrete(ACTIONS)):
    ppo = PPO(config, OBS, space)
    return ppo, jax.jit(ppo.init)(jax.random.key(0)), jax.jit(ppo.learn)


def draw_rollout(seed=0):
    """Random rows whose actions were drawn with the probabilities that are written beside."""
    rng = np.random.default_rng(seed)
    shape = (STEPS, LANES)

    def numbers(*more):
        return jnp.array(rng.normal(size=(*shape, *more)), jnp.float32)

    action = jnp.array(rng.integers(ACTIONS, size=shape), jnp.int32)
    return Rollout(
        View(numbers(2)),
        Choice(action, jnp.full(shape, -np.log(ACTIONS), jnp.float32), numbers()),
        starts=jnp.zeros(shape, bool),
        reward=numbers(),
        done=jnp.zeros(shape, bool),
        bootstrap=jnp.zeros(shape),
        discounted=jnp.abs(numbers()),
    )


def learn(config, rollout, agent=None):
    _, fresh, update = algorithm(config)
    agent = fresh if agent is None else agent
    return update(agent, None, rollout, jnp.zeros(LANES), jax.random.key(1))


def part(agent, name):
    """Actor or critic, body and head: the two share nothing without memory and pixels."""
    params = agent.params["params"]
    return jax.tree.map(np.asarray, [params[f"{name}_body"], params[name]])


def same(a, b):
    return all(map(np.array_equal, *map(jax.tree.leaves, (a, b))))


def honest(rollout, config=ONCE):
    """With the probabilities that the fresh agent itself gives the actions."""
    ppo, agent, _ = algorithm(config)
    _, law, value = ppo.law(agent, None, rollout.view, rollout.starts)
    log_prob = law.log_prob(rollout.choice.action)
    return replace(rollout, choice=Choice(rollout.choice.action, log_prob, value))


# --- whose rows teach what ----------------------------------------------------------------


def test_rows_of_waiting_players_do_not_teach_the_policy():
    rollout = draw_rollout()
    acting = jnp.array(np.random.default_rng(3).random((STEPS, LANES)) < 0.5)
    rollout = replace(rollout, view=replace(rollout.view, acting=acting))

    def otherwise(rows):
        choice = rollout.choice
        action = jnp.where(rows, (choice.action + 1) % ACTIONS, choice.action)
        log_prob = jnp.where(rows, choice.log_prob - 1, choice.log_prob)
        reward = jnp.where(rows, rollout.reward + 100, rollout.reward)
        return replace(
            rollout, choice=replace(choice, action=action, log_prob=log_prob), reward=reward
        )

    plain, told = learn(ONCE, rollout)
    waiting, _ = learn(ONCE, otherwise(~acting))
    moving, _ = learn(ONCE, otherwise(acting))
    assert same(part(plain, "actor"), part(waiting, "actor"))
    assert not same(part(plain, "actor"), part(moving, "actor"))
    assert not same(part(plain, "critic"), part(waiting, "critic")), "they teach the value"
    assert float(told["entropy"]) > 1.0, "a mean over acting rows, not diluted by the others"


def test_a_choice_between_one_teaches_nothing():
    rollout = draw_rollout()
    legal = jax.nn.one_hot(rollout.choice.action, ACTIONS, dtype=bool)
    rollout = replace(rollout, view=replace(rollout.view, legal=legal))
    _, before, _ = algorithm(ONCE)
    after, told = learn(ONCE, rollout)
    assert same(part(before, "actor"), part(after, "actor"))
    assert not same(part(before, "critic"), part(after, "critic"))
    assert float(told["entropy"]) == 0


def test_masks_leave_everything_finite():
    rollout = draw_rollout()
    chosen = jax.nn.one_hot(rollout.choice.action, ACTIONS, dtype=bool)
    legal = chosen | jnp.array(np.random.default_rng(5).random((STEPS, LANES, ACTIONS)) < 0.3)
    after, told = learn(ONCE, replace(rollout, view=replace(rollout.view, legal=legal)))
    _, before, _ = algorithm(ONCE)
    assert all(np.isfinite(x).all() for x in jax.tree.leaves((after.params, told)))
    assert not same(part(before, "actor"), part(after, "actor"))


# --- the clipped objective ----------------------------------------------------------------


def test_the_likelier_gets_what_was_better_than_expected():
    rollout = honest(draw_rollout())
    ppo, _, _ = algorithm(ONCE)
    after, told = learn(ONCE, rollout)
    advantage = rollout.reward - rollout.choice.value
    now = ppo.law(after, None, rollout.view, rollout.starts)[1].log_prob(rollout.choice.action)
    centred = advantage - advantage.mean()
    assert float(jnp.sum(centred * (now - rollout.choice.log_prob))) > 0
    assert abs(float(told["approx_kl"])) < 1e-6 and float(told["clip_fraction"]) == 0


def test_beyond_the_clip_nothing_pulls_any_further():
    config = replace(ONCE, entropy=0.0)
    rollout = honest(draw_rollout(), config)
    advantage = rollout.reward - rollout.choice.value
    gone_far = jnp.where(advantage > advantage.mean(), -1.0, 1.0)  # ratios e and 1/e

    def shifted(by):
        choice = replace(rollout.choice, log_prob=rollout.choice.log_prob + by)
        return learn(config, replace(rollout, choice=choice))

    _, before, _ = algorithm(config)
    after, told = shifted(gone_far)
    assert same(part(before, "actor"), part(after, "actor"))
    assert float(told["clip_fraction"]) == 1
    back, _ = shifted(-gone_far)
    assert not same(part(before, "actor"), part(back, "actor")), "the way back is open"


def test_entropy_is_paid_for():
    rollout = honest(draw_rollout())
    equal = replace(rollout, reward=rollout.choice.value)  # nothing was better than expected
    _, agent, _ = algorithm(ONCE)
    sharp = jax.tree.map(lambda x: x, agent.params)
    sharp["params"]["actor"]["bias"] = jnp.array([2.0, 0.0, 0.0])
    sharp = replace(agent, params=sharp)
    _, before = learn(ONCE, equal, sharp)
    after, _ = learn(replace(ONCE, entropy=1.0, learning_rate=0.05), equal, sharp)
    _, then = learn(ONCE, equal, after)
    assert float(then["entropy"]) > float(before["entropy"]) + 0.01


def test_explained_variance_is_one_for_a_prophet_and_zero_for_a_constant():
    rollout = draw_rollout()

    def judged(value):
        choice = replace(rollout.choice, value=value)
        return float(learn(ONCE, replace(rollout, choice=choice))[1]["explained_variance"])

    assert judged(rollout.reward) == 1
    assert abs(judged(jnp.full_like(rollout.reward, 3.0))) < 1e-5


@pytest.mark.parametrize("anneal", [True, False])
def test_the_learning_rate_ends_at_zero_only_if_it_is_annealed(anneal):
    config = replace(ONCE, anneal=anneal, steps=10 * ONCE.batch)
    _, agent, _ = algorithm(config)

    def late(leaf):
        return jnp.full_like(leaf, config.gradient_steps) if leaf.dtype == jnp.int32 else leaf

    agent = replace(agent, optimiser=jax.tree.map(late, agent.optimiser))
    after, _ = learn(config, draw_rollout(), agent)
    moved = jax.tree.map(
        lambda a, b: float(np.abs(a - b).max()), part(agent, "critic"), part(after, "critic")
    )
    # The line ends at zero but for the rounding of its slope.
    assert (max(jax.tree.leaves(moved)) < 1e-10) == anneal


# --- sizes of observations and rewards ----------------------------------------------------


def test_scaled_rewards_teach_the_same_whatever_their_size():
    def taught(config, size):
        rollout = draw_rollout()
        rollout = replace(
            rollout, reward=size * rollout.reward, discounted=size * rollout.discounted
        )
        return learn(config, rollout)[0]

    scaling = replace(ONCE, normalise_reward=True)
    small, large = (taught(scaling, size).params for size in (1.0, 1024.0))
    # The prior counts as 1e-4 of 24 rows, and Adam's first step is a sign of the gradient.
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=2e-6), small, large)
    assert not same(taught(ONCE, 1.0).params, taught(ONCE, 1024.0).params)


def test_observations_are_normalised_by_what_was_seen_before_this_rollout():
    config = replace(ONCE, normalise_obs=True)
    ppo, _, _ = algorithm(config)
    rollout = draw_rollout()
    shifted = replace(rollout, view=View(rollout.view.obs * 3 + 50))
    after, told = learn(config, honest(shifted, config))
    assert abs(float(told["approx_kl"])) < 1e-6, "this roll-out is seen as it was played"
    seen = np.asarray(shifted.view.obs).reshape(-1, 2)
    np.testing.assert_allclose(after.obs_moments.mean, seen.mean(axis=0), rtol=1e-3)
    np.testing.assert_allclose(after.obs_moments.var, seen.var(axis=0), rtol=2e-2)
    # From now on a view is seen as its distance from the mean.
    plain = replace(after, obs_moments=None)
    mean, var = np.asarray(after.obs_moments.mean), np.asarray(after.obs_moments.var)
    normal = jnp.asarray((np.asarray(shifted.view.obs) - mean) / np.sqrt(var))
    got = ppo.law(after, None, shifted.view, rollout.starts)[2]
    np.testing.assert_allclose(
        got, ppo.law(plain, None, View(normal), rollout.starts)[2], atol=1e-5
    )


# --- acting --------------------------------------------------------------------------------


def test_real_actions_are_clipped_for_the_environment_only():
    space = Box([-0.5, -2.0], [0.5, 0.1])
    ppo, agent, _ = algorithm(ONCE, space)
    view = View(jnp.zeros((LANES, 2)))
    starts = jnp.zeros(LANES, bool)
    _, choice = ppo.act(agent, None, view, starts, jax.random.key(0))
    played = ppo.for_environment(choice.action)
    assert (np.asarray(choice.action) != np.asarray(played)).any(), "some were out of bounds"
    assert all(space.contains(np.asarray(row)) for row in played)
    _, law, _ = ppo.law(agent, None, View(view.obs[None]), starts[None])
    np.testing.assert_allclose(choice.log_prob, law.log_prob(choice.action[None])[0], rtol=1e-6)
    assert not np.allclose(choice.log_prob, law.log_prob(played[None])[0])


def test_a_greedy_agent_takes_the_likeliest_whatever_the_key():
    ppo, agent, _ = algorithm(ONCE)
    view, starts = View(draw_rollout().view.obs[0]), jnp.zeros(LANES, bool)
    law = ppo.law(agent, None, View(view.obs[None]), starts[None])[1]
    keys = map(jax.random.key, range(3))
    chosen = [ppo.act(agent, None, view, starts, key, greedy=True)[1].action for key in keys]
    assert all(np.array_equal(action, law.mode()[0]) for action in chosen)
