"""The two training loops around a world, with an agent that has preferences."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from envwright.sim.hosts import GymnasiumLanes
from envwright.train.fused import Fused
from envwright.train.host import Host
from envwright.train.jax_lanes import JaxLanes
from envwright.train.ppo import PPO


def fused_loop(env, config, ppo=PPO):
    lanes = JaxLanes(env, config.num_envs)
    return Fused(ppo(config, lanes.obs_space, lanes.action_space), lanes)


def host_loop(make, config, ppo=PPO, seeds=1):
    lanes = GymnasiumLanes(make, config.num_envs * seeds)
    return Host(ppo(config, lanes.obs_space, lanes.action_space), lanes, seeds)


def sharpened(agent):
    """Fresh agents prefer nothing; this one's logits or means are about as large as one."""
    params = jax.tree.map(lambda x: x, agent.params)
    params["params"]["actor"]["kernel"] = params["params"]["actor"]["kernel"] * 100
    return replace(agent, params=params)


def fused_start(loop, seed=0):
    state = jax.jit(loop.init)(jax.random.key(seed))
    return replace(state, agent=sharpened(state.agent))


def host_start(loop, seed=0):
    state = loop.init(jax.random.key(seed), seed)
    return replace(state, agent=sharpened(state.agent))


def leaves(tree):
    """NumPy arrays; keys as words."""

    def plain(x):
        is_key = jnp.issubdtype(x.dtype, jax.dtypes.prng_key)
        return np.asarray(jax.random.key_data(x) if is_key else x)

    return [plain(x) for x in jax.tree.leaves(tree)]
