"""HalfCheetah-v5 as an Env: control, reward, observation, start and time limit."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env
from envwright.core.exact import rounded
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box
from envwright.errors import EnvwrightError
from envwright.zoo.planar.engine import Motion, runner, without_bad
from envwright.zoo.planar.model import Robot, load

LONGEST_SKIP = 1000


@cache
def robot() -> Robot:
    """Load the cheetah, as compiled by MuJoCo from Gymnasium's file."""
    return load("envwright.zoo.halfcheetah")


@pytree_dataclass
class Params:
    """Numbers that may be traced and vmapped."""

    forward_reward_weight: jax.Array | float = 1.0
    ctrl_cost_weight: jax.Array | float = 0.1
    reset_noise_scale: jax.Array | float = 0.1
    max_steps: jax.Array | int = 1000


@pytree_dataclass
class State:
    """A motion and the number of steps since the start.

    Coordinates are the trunk's x, height and pitch, then the angles of the hind thigh, shin and
    foot and of the fore ones.
    """

    position: jax.Array  # float[9]
    velocity: jax.Array  # float[9]
    acceleration: jax.Array  # float[9], of the last sub-step: the solver's first guess
    time: jax.Array  # int32[]


@pytree_dataclass
class Noise:
    """The random numbers of a start."""

    position: jax.Array  # float[9], from -1 to 1
    velocity: jax.Array  # float[9], normal


class HalfCheetah(Env[State, Params]):
    """Run forwards: six torques from -1 to 1, for the hinges of two legs.

    Reward is the speed forwards less a tenth of the squared torques; `info` has both parts, as
    the reference has. Episodes end after 1,000 steps only. `dtype` is float32, or float64 inside
    `jax.enable_x64(True)`. On a CPU the Rust backend is many times faster.

    Torques beyond 1 count as 1, but cost what they are. If one is NaN, all are 0 for the step and
    its reward is NaN, as in the reference.
    """

    id = "halfcheetah"
    version = 1
    default_params = Params()

    def __init__(
        self,
        dtype: Any = np.float32,
        frame_skip: int = 5,
        exclude_current_positions_from_observation: bool = True,
    ) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise EnvwrightError(f"halfcheetah computes in float32 or float64, not {self.dtype}")
        if isinstance(frame_skip, bool) or not isinstance(frame_skip, int | np.integer):
            raise EnvwrightError(f"frame_skip is a whole number, not {frame_skip!r}")
        if not 1 <= frame_skip <= LONGEST_SKIP:
            raise EnvwrightError(f"frame_skip is {frame_skip}; choose one from 1 to {LONGEST_SKIP}")
        self.frame_skip = int(frame_skip)
        self.exclude_positions = bool(exclude_current_positions_from_observation)
        self.robot = robot()

    @property
    def dt(self) -> float:
        """The seconds of a step."""
        return self.robot.timestep * self.frame_skip

    def draw_start(self, key: jax.Array, params: Params) -> Noise:
        k_position, k_velocity = jax.random.split(key)
        shape = (self.robot.size,)
        return Noise(
            jax.random.uniform(k_position, shape, self.dtype, -1.0, 1.0),
            jax.random.normal(k_velocity, shape, self.dtype),
        )

    def start(self, noise: Noise, params: Params) -> State:
        scale = jnp.asarray(params.reset_noise_scale, self.dtype)
        position = jnp.asarray(noise.position, self.dtype) * scale
        velocity = jnp.asarray(noise.velocity, self.dtype) * scale
        return State(position, velocity, jnp.zeros_like(position), time=jnp.int32(0))

    def transition(
        self, state: State, action: jax.Array, noise: None, params: Params
    ) -> tuple[State, jax.Array, jax.Array, dict[str, Any]]:
        torques = jnp.asarray(action, self.dtype)
        motion = Motion(list(state.position), list(state.velocity), list(state.acceleration))
        run = runner(self.robot, self.frame_skip)
        motion, moved = run(motion, without_bad(self.robot, list(torques)))
        position, velocity, acceleration = (jnp.stack(part) for part in motion)
        speed = moved / self.dt
        forward = params.forward_reward_weight * speed
        cost = _control_cost(jnp.asarray(action, jnp.float32), params)
        info = {
            "x_position": position[0],
            "x_velocity": speed,
            "reward_forward": forward,
            "reward_ctrl": -cost,
        }
        following = State(position, velocity, acceleration, state.time + 1)
        reward = (forward - cost.astype(forward.dtype)).astype(self.dtype)
        return following, reward, jnp.bool_(False), info

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        first = 1 if self.exclude_positions else 0
        return jnp.concatenate([state.position[first:], state.velocity])

    def time_is_up(self, state: State, params: Params) -> jax.Array:
        return state.time >= params.max_steps

    def observation_space(self, params: Params | None = None) -> Box:
        high = np.full(2 * self.robot.size - self.exclude_positions, np.inf, self.dtype)
        return Box(-high, high, dtype=self.dtype)

    def action_space(self, params: Params | None = None) -> Box:
        motors = self.robot.motors
        low = np.array([motor.low for motor in motors], np.float32)
        return Box(low, np.array([motor.high for motor in motors], np.float32))

    def render(self, state: State) -> np.ndarray:
        from envwright.zoo.planar.render import picture

        return picture(self.robot, np.asarray(state.position))


def _control_cost(action: jax.Array, params: Params) -> jax.Array:
    """Return the cost in float32 even if the rest is float64: a quirk of NumPy's promotion."""
    squares = rounded(action * action)
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    return jnp.asarray(params.ctrl_cost_weight, jnp.float32) * total
