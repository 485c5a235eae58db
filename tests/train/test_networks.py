"""Networks: sequences are steps one after the other, and sizes are what they say."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
from envwright.errors import EnvwrightError
from envwright.train import PPOConfig
from envwright.train.distributions import Categorical, Gaussian, Product
from envwright.train.networks import (
    as_input,
    build,
    count_parameters,
    init_parameters,
    is_pixels,
)
from envwright.train.shapes import SIZES

OBS, ACTIONS = Box(-1, 1, (3,)), Discrete(4)
PIXELS = Box(0, 255, (84, 84, 4), np.uint8)
STEPS, LANES = 7, 5


def fresh(network, space):
    return jax.jit(lambda key: init_parameters(network, key, space))(jax.random.key(0))


def recurrent():
    network = build(PPOConfig(network="16", memory=8, minibatches=1), OBS, ACTIONS)
    params = fresh(network, OBS)
    rng = np.random.default_rng(1)
    obs = jnp.array(rng.normal(size=(STEPS, LANES, 3)), jnp.float32)
    starts = jnp.array(rng.random((STEPS, LANES)) < 0.3)
    hidden = jnp.array(rng.normal(size=(LANES, 8)), jnp.float32)
    return network, params, obs, starts, hidden


def test_a_sequence_is_its_steps_one_after_the_other():
    network, params, obs, starts, hidden = recurrent()
    last, law, value = network.apply(params, hidden, obs, starts, None)
    for t in range(STEPS):
        hidden, one, judged = network.apply(params, hidden, obs[t : t + 1], starts[t : t + 1], None)
        # A matrix product of 35 rows may sum in another order than one of 5.
        np.testing.assert_allclose(one.logits[0], law.logits[t], atol=1e-6)
        np.testing.assert_allclose(judged[0], value[t], atol=1e-6)
    np.testing.assert_allclose(hidden, last, atol=1e-6)


def test_nothing_is_remembered_over_the_end_of_an_episode():
    network, params, obs, _, hidden = recurrent()
    starts = jnp.zeros((STEPS, LANES), bool).at[3, 2].set(True)
    other_past = obs.at[:3].add(1.0)
    runs = [
        network.apply(params, h, o, starts, None)[2]
        for h, o in ((hidden, obs), (hidden + 1.0, other_past))
    ]
    same = np.asarray(runs[0] == runs[1])
    assert same[3:, 2].all(), "lane 2 began anew at step 3"
    assert not same[:3].any()
    assert not np.delete(same, 2, axis=1).any(), "the other lanes remember"


def test_the_first_step_of_an_episode_ignores_the_given_memory():
    network, params, obs, _, hidden = recurrent()
    starts = jnp.ones((1, LANES), bool)
    told = network.apply(params, hidden, obs[:1], starts, None)
    blank = network.apply(params, network.first_hidden(LANES), obs[:1], starts, None)
    jax.tree.map(np.testing.assert_array_equal, told, blank)


@pytest.mark.parametrize(
    ("size", "space", "actions", "memory"),
    [
        *((size, OBS, ACTIONS, 0) for size in SIZES),
        ("2M", Box(-1, 1, (300,)), Box(-1, 1, (17,)), 0),
        ("20M", PIXELS, Discrete(18), 0),
        ("200M", OBS, ACTIONS, 256),
    ],
    ids=[*SIZES, "2M continuous", "20M pixels", "200M memory"],
)
def test_sizes_are_within_a_hundredth_of_their_names(size, space, actions, memory):
    config = PPOConfig(network=size, memory=memory)
    count = count_parameters(build(config, space, actions), space)
    assert 0.99 * SIZES[size] <= count <= SIZES[size]


def test_counted_parameters_are_those_there_are():
    network, params, *_ = recurrent()
    assert count_parameters(network, OBS) == sum(x.size for x in jax.tree.leaves(params))


def test_only_bytes_of_height_width_and_channels_are_pixels():
    assert is_pixels(PIXELS)
    assert not is_pixels(Box(0, 255, (84, 84), np.uint8))
    assert not is_pixels(Box(0, 1, (3, 3, 2), np.int8))
    assert not is_pixels(Discrete(3))


def test_dicts_become_one_vector_and_one_of_n_becomes_n_numbers():
    space = Dict({"b": Box(0, 9, (3,), np.int32), "a": Discrete(2)})
    obs = {"a": jnp.ones((1, 2), jnp.int32), "b": jnp.arange(6).reshape(1, 2, 3)}
    flat = as_input(obs, space, lead=2)
    assert flat.shape == (1, 2, 5) and flat.dtype == jnp.float32
    assert flat[0, 1].tolist() == [3.0, 4.0, 5.0, 0.0, 1.0]
    network = build(PPOConfig(network="8"), space, ACTIONS)
    params = fresh(network, space)
    assert params["params"]["actor_body"]["Dense_0"]["kernel"].shape == (5, 8)


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_layers_keep_the_size_of_what_goes_through(scale):
    network = build(PPOConfig(network="256x256"), Box(-1, 1, (256,)), ACTIONS)
    params = fresh(network, Box(-1, 1, (256,)))
    kernel = params["params"]["critic_body"]["Dense_1"]["kernel"]
    x = scale * jax.random.normal(jax.random.key(1), (64, 256))
    assert np.isclose(float(jnp.std(x @ kernel)), np.sqrt(2) * scale, rtol=0.05)


def test_an_untrained_policy_prefers_nothing():
    network = build(PPOConfig(network="64x64"), OBS, ACTIONS)
    params = fresh(network, OBS)
    obs = jax.random.normal(jax.random.key(1), (1, 100, 3))
    _, law, _ = network.apply(params, None, obs, jnp.zeros((1, 100), bool), None)
    assert float(jnp.max(jnp.abs(jnp.exp(law.logits) - 0.25))) < 0.02


def test_the_law_fits_the_action_space():
    starts = jnp.zeros((1, LANES), bool)
    for actions, kind in (
        (Discrete(4), Categorical),
        (Box(-1, 1, (2,)), Gaussian),
        (MultiDiscrete((2, 3)), Product),
        (MultiBinary(4), Product),
    ):
        network = build(PPOConfig(network="8"), OBS, actions)
        params = fresh(network, OBS)
        law = network.apply(params, None, jnp.zeros((1, LANES, 3)), starts, None)[1]
        assert isinstance(law, kind)
        assert law.sample(jax.random.key(0)).shape == (1, LANES, *actions.shape)


@pytest.mark.parametrize("actions", [Tuple((Discrete(2), Box(0, 1, (2,)))), Box(-1, 1, (2, 2))])
def test_other_action_spaces_are_refused(actions):
    with pytest.raises(EnvwrightError, match=r"training knows Discrete, .* not .*; wrap the"):
        build(PPOConfig(), OBS, actions)


def test_named_convolutions_replace_the_usual_ones():
    network = build(PPOConfig(network="4@8/8x6@3/1x16"), PIXELS, ACTIONS)
    body = fresh(network, PIXELS)["params"]["actor_body"]
    assert body["Conv_0"]["kernel"].shape == (8, 8, 4, 4)
    assert body["Conv_1"]["kernel"].shape == (3, 3, 4, 6)
    assert body["Dense_0"]["kernel"].shape == (11 * 11 * 6, 16)
    assert len(body) == 3


def test_convolutions_of_a_vector_are_refused():
    with pytest.raises(EnvwrightError, match=r"convolutions see pictures.*use widths only.*16x8"):
        build(PPOConfig(network="4@8/8x16x8"), OBS, ACTIONS)
