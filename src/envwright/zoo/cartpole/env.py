"""CartPole-v1 as an Env: observation, reward, start and time limit."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env
from envwright.core.exact import rounded
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.zoo.cartpole.rules import Motion, Physics, has_fallen, move


@pytree_dataclass
class Params:
    """Numbers that may be traced and vmapped."""

    physics: Physics = Physics()
    start_range: jax.Array | float = 0.05
    max_steps: jax.Array | int = 500


@pytree_dataclass
class State:
    """A motion and the number of steps since the start."""

    motion: Motion
    time: jax.Array  # int32[]


class CartPole(Env[State, Params]):
    """Push a cart left (0) or right (1) so that its pole stays up.

    Reward is 1 for every step, the last one included. With `sutton_barto_reward` it is 0,
    and -1 for the step that ends the episode by a fall. `dtype` is float32, or float64
    inside `jax.enable_x64(True)`: then every trajectory is the reference's, bit for bit.
    """

    id = "cartpole"
    version = 1
    default_params = Params()

    def __init__(self, dtype: Any = np.float32, sutton_barto_reward: bool = False) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise EnvwrightError(f"cartpole computes in float32 or float64, not {self.dtype}")
        self.sutton_barto_reward = sutton_barto_reward

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        unit = jax.random.uniform(key, (4,), self.dtype)
        # Rounded, or the compiler may fuse it in the state and not in the observation.
        return rounded(unit * (2 * params.start_range)) - params.start_range

    def start(self, noise: jax.Array, params: Params) -> State:
        x, x_dot, theta, theta_dot = noise
        return State(Motion(x, x_dot, theta, theta_dot), time=jnp.int32(0))

    def transition(
        self, state: State, action: jax.Array, noise: None, params: Params
    ) -> tuple[State, jax.Array, jax.Array, dict]:
        motion = move(state.motion, action == 1, params.physics)
        fallen = has_fallen(motion, params.physics)
        return State(motion, state.time + 1), self._reward(fallen), fallen, {}

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        m = state.motion
        # The reference computes in float64 and shows float32.
        return jnp.stack([m.x, m.x_dot, m.theta, m.theta_dot]).astype(jnp.float32)

    def time_is_up(self, state: State, params: Params) -> jax.Array:
        return state.time >= params.max_steps

    def observation_space(self, params: Params | None = None) -> Box:
        physics = (params or self.default_params).physics
        high = np.array([physics.x_limit * 2, np.inf, physics.theta_limit * 2, np.inf], np.float32)
        return Box(-high, high)

    def action_space(self, params: Params | None = None) -> Discrete:
        return Discrete(2)

    def render(self, state: State) -> np.ndarray:
        from envwright.zoo.cartpole.render import picture

        return picture(state.motion, self.default_params.physics)

    def _reward(self, fallen: jax.Array) -> jax.Array:
        if self.sutton_barto_reward:
            return jnp.where(fallen, -1.0, 0.0).astype(jnp.float32)
        return jnp.ones_like(fallen, jnp.float32)
