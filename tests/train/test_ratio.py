"""An agent that does not move must agree with itself: every ratio of a roll-out is one.

The sharpest test of a training loop there is: observations that do not belong to their
actions, a memory or a mask of another step, moments that moved in between, clipped actions
or rows in another order would all show.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest
from tests.games import SlipperyWalk, StoneDuel, TicTacToe
from tests.train.loops import fused_loop, fused_start, host_loop, host_start
from tests.train.twins import BrightTwin, MaskedRing, TrackingTwin
from tests.train.worlds import Bright, Recall, Tracking

from envwright.train import PPOConfig

# A step of 1e-12 changes no float32. A ratio may be off by rounding (about 1e-6), and by
# 1e-4 it counts as clipped.
STILL = PPOConfig(
    num_envs=8,
    rollout=10,  # no multiple of any length of an episode
    epochs=2,
    minibatches=4,
    learning_rate=1e-12,
    clip=1e-4,
    network="16",
    normalise_obs=True,
    normalise_reward=True,
)
MEMORY = replace(STILL, memory=8)
FEW = replace(STILL, num_envs=4, rollout=5, epochs=1, minibatches=2)
FUSED = {
    "perceptron": (SlipperyWalk(), STILL),
    "memory": (Recall(3), MEMORY),
    "pixels": (Bright(), FEW),
    "continuous": (Tracking(), STILL),
    "masks in turn": (TicTacToe(), STILL),
    "masks at once with memory": (StoneDuel(), MEMORY),
}
BRIEF = ("masks at once with memory",)
HOST = {
    "pixels": (BrightTwin, FEW),
    "continuous": (TrackingTwin, STILL),
    "masks with memory": (MaskedRing, MEMORY),
}


def agrees_with_itself(iterate, state):
    episodes = 0
    for _ in range(4):  # later ones begin in the middle of episodes, with moments that moved
        state, (finished, told) = iterate(state)
        episodes += int(finished.episodes)
        assert float(told["clip_fraction"]) == 0
        assert abs(float(told["approx_kl"])) < 1e-8
        assert float(told["gradient"]) > 1e-3, "there was something to learn"
    assert episodes > 4, "episodes ended on the way"


@pytest.mark.parametrize(
    "name",
    [n if n in BRIEF else pytest.param(n, marks=pytest.mark.slow) for n in FUSED],
)
def test_fused_the_update_sees_what_the_rollout_saw(name):
    loop = fused_loop(*FUSED[name])
    agrees_with_itself(jax.jit(loop.iterate), fused_start(loop))


@pytest.mark.parametrize(
    "name",
    [n if n == "masks with memory" else pytest.param(n, marks=pytest.mark.slow) for n in HOST],
)
def test_on_the_host_the_update_sees_what_the_rollout_saw(name):
    loop = host_loop(*HOST[name])
    agrees_with_itself(loop.iterate, host_start(loop))


def mistaken(wrong, hidden, rollout):
    choice = rollout.choice
    if wrong == "hidden":
        return jnp.zeros_like(hidden), rollout
    if wrong == "order":
        return jnp.roll(hidden, 1, axis=0), rollout
    if wrong == "starts":
        return hidden, replace(rollout, starts=jnp.zeros_like(rollout.starts))
    if wrong == "actions":
        return hidden, replace(rollout, choice=replace(choice, action=1 - choice.action))
    return hidden, rollout


@pytest.mark.slow
def test_such_mistakes_would_show():
    loop = fused_loop(Recall(3), MEMORY)
    state = fused_start(loop)
    collect, learn = jax.jit(loop.collect), jax.jit(loop.ppo.learn)
    play, _, _ = collect(state.agent, state.play, jax.random.key(1))
    _, rollout, _ = collect(state.agent, play, jax.random.key(2))
    last_value = jnp.zeros(MEMORY.num_envs)
    for wrong in ("nothing", "hidden", "order", "starts", "actions"):
        given = mistaken(wrong, play.hidden, rollout)
        _, told = learn(state.agent, *given, last_value, jax.random.key(3))
        assert (float(told["clip_fraction"]) > 0.05) == (wrong != "nothing"), wrong


@pytest.mark.slow
def test_the_probabilities_of_real_actions_are_those_of_the_unclipped():
    loop = fused_loop(Tracking(), STILL)
    state = fused_start(loop)
    _, rollout, _ = jax.jit(loop.collect)(state.agent, state.play, jax.random.key(1))
    chosen = rollout.choice.action
    given = rollout.view.obs[1:, :, 1:]  # each view shows the action that led to it
    going_on = ~rollout.starts[1:]
    beyond = jnp.abs(chosen) > Tracking.bound
    assert bool(jnp.any(beyond)) and bool(jnp.all(jnp.abs(given) <= Tracking.bound))
    bounded = jnp.clip(chosen[:-1], -Tracking.bound, Tracking.bound)
    assert bool(jnp.all((given == bounded) | ~going_on[..., None]))
    _, law, _ = loop.ppo.law(state.agent, None, rollout.view, rollout.starts)
    off = jnp.abs(law.log_prob(chosen) - rollout.choice.log_prob)
    assert float(jnp.max(off)) < 1e-5
