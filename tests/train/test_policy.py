"""Policies as files: what is loaded acts as what was saved, and damage is said."""

import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.train.loops import leaves

from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.train import Policies, PPOConfig, load_policies
from envwright.train.ppo import PPO, View
from envwright.train.running import Moments

OBS, ACTIONS = Box(-1, 1, (3,)), Discrete(4)
CONFIG = PPOConfig(network="8", memory=4, normalise_obs=True, steps=77)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    ppo = PPO(CONFIG, OBS, ACTIONS)
    agent = jax.jit(jax.vmap(ppo.init))(jax.random.split(jax.random.key(0), 2))
    moments = Moments(jnp.full((2, 3), 0.5), jnp.full((2, 3), 4.0), jnp.array([9.0, 9.0]))
    agent = replace(agent, obs_moments=moments)
    policies = Policies("envwright:cartpole", CONFIG, (3, 8), 4096, ppo, agent)
    return policies, policies.save(tmp_path_factory.mktemp("policies") / "p.npz")


def test_what_is_loaded_is_what_was_saved(kept):
    policies, path = kept
    found = load_policies(path, OBS, ACTIONS)
    assert (found.simulator, found.config) == ("envwright:cartpole", CONFIG)
    assert (found.seeds, found.steps) == ((3, 8), 4096)
    learnt = (policies.agent.params, policies.agent.obs_moments)
    assert all(
        map(np.array_equal, leaves((found.agent.params, found.agent.obs_moments)), leaves(learnt))
    )


def test_a_loaded_agent_acts_as_the_saved_one(kept):
    policies, path = kept
    found = load_policies(path, OBS, ACTIONS)
    view, starts = View(jnp.linspace(-1, 1, 15).reshape(5, 3)), jnp.ones(5, bool)
    for index in range(2):
        choices = [
            p.ppo.act(p.one(index), p.ppo.first_hidden(5), view, starts, jax.random.key(1))
            for p in (policies, found)
        ]
        jax.tree.map(np.testing.assert_array_equal, *choices)


@pytest.mark.parametrize(
    ("obs", "actions"), [(Box(-1, 1, (4,)), ACTIONS), (OBS, Discrete(5)), (OBS, Box(-1, 1, (4,)))]
)
def test_other_spaces_are_refused(kept, obs, actions):
    with pytest.raises(EnvwrightError, match="do not fit these observations and actions"):
        load_policies(kept[1], obs, actions)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(EnvwrightError, match=r"there is no .*nothing\.npz; train first"):
        load_policies(tmp_path / "nothing.npz", OBS, ACTIONS)


def damaged(tmp_path, data):
    broken = tmp_path / "broken.npz"
    broken.write_bytes(data)
    return broken


def test_any_cut_is_damage(kept, tmp_path):
    whole = kept[1].read_bytes()
    for end in (0, 1, 4, 100, len(whole) // 2, len(whole) - 1):
        with pytest.raises(EnvwrightError, match="is not a file of policies, or is damaged"):
            load_policies(damaged(tmp_path, whole[:end]), OBS, ACTIONS)


def test_a_flipped_bit_is_damage_or_changes_nothing(kept, tmp_path):
    policies, path = kept
    whole = path.read_bytes()
    expected = leaves((policies.agent.params, policies.agent.obs_moments))
    refused = 0
    for place in np.random.default_rng(0).integers(len(whole), size=40):
        data = bytearray(whole)
        data[place] ^= 1 << place % 8
        try:
            found = load_policies(damaged(tmp_path, bytes(data)), OBS, ACTIONS)
        except EnvwrightError:
            refused += 1
        else:
            same = leaves((found.agent.params, found.agent.obs_moments))
            assert all(map(np.array_equal, same, expected)), place
    assert refused > 20


def other_files(tmp_path):
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "about.npz", about=np.array("[]"))
    np.savez(tmp_path / "later.npz", about=np.array(json.dumps({"format": 99})))
    (tmp_path / "text.npz").write_text("no such thing")
    return sorted(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path):
    for path in other_files(tmp_path):
        with pytest.raises(EnvwrightError, match="train again"):
            load_policies(path, OBS, ACTIONS)
