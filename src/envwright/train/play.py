"""Draw an episode that a trained agent plays."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
from PIL import Image

from envwright.core.env import Env
from envwright.core.pytree import named_leaves
from envwright.core.registry import is_native, rooms
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options, parse_name, split_options
from envwright.schema.results import Play
from envwright.sim.resolve import opening
from envwright.sim.targets import open_target
from envwright.train.jax_lanes import JaxLanes
from envwright.train.pictures import Moment, draw
from envwright.train.policy import Policies, load_policies

MOST_FRAMES = 150
WIDTH = 360  # pixels of a frame; larger pictures are reduced
SECONDS_PER_FRAME = 0.04
FORMATS = {".webp": "WEBP", ".gif": "GIF"}


@dataclass(frozen=True)
class Episode:
    """An episode with its pictures."""

    env: str
    simulator: str  # of training, or else what was played
    frames: list[np.ndarray]  # uint8[height, width, 3], every `stride` steps
    stride: int
    steps: int
    total: float
    by: str = ""  # who played; "": an agent that was trained in the simulator

    @property
    def caption(self) -> str:
        """The caption, one line."""
        player = self.by or f"trained in {self.simulator}"
        return f"{self.env}, {player}: return {self.total:g} in {self.steps} steps"

    def animation(self, suffix: str) -> bytes:
        """Encode the frames as `.webp` or `.gif`."""
        check_format(suffix)
        pictures = [_reduced(frame) for frame in self.frames]
        buffer = io.BytesIO()
        # Strides do not slow it down: two frames a second would not look like motion.
        shared: dict[str, Any] = {"duration": int(1000 * SECONDS_PER_FRAME), "loop": 0}
        if suffix == ".webp":
            shared |= {"quality": 60, "method": 4}
        pictures[0].save(
            buffer, FORMATS[suffix], save_all=True, append_images=pictures[1:], **shared
        )
        return buffer.getvalue()

    def record(self, image: str) -> Play:
        """Return the result that `envwright play --json` stores beside the image."""
        return Play(
            env=self.env,
            simulator=self.simulator,
            episodes=1,
            total=self.total,
            steps=self.steps,
            caption=self.caption,
            image=image,
        )


def check_format(suffix: str) -> None:
    """Reject a file name that is not an animation's."""
    if suffix not in FORMATS:
        raise EnvwrightError(f"an animation is a .webp or a .gif, not {suffix!r}")


def play_episode(simulator: str, policies: Path, agent: int, seed: int, most_steps: int) -> Episode:
    """Play an episode of the policies in a file; a room may have its own way to draw it."""
    bare = split_options(simulator)[0]
    for room in rooms():
        player = room.module("play") if room.owns(bare) else None
        if player is not None:
            with opening(simulator):  # with the options that the run names
                return player.play_trained(simulator, policies, agent, seed, most_steps)
    env = _jax_env(simulator)
    found = load_policies(policies, env.observation_space(), env.action_space())
    # The run decides what is played, not the file of its policies.
    return play_policies(replace(found, simulator=simulator), agent, seed, most_steps)


def play_policies(
    policies: Policies, agent: int = 0, seed: int = 0, most_steps: int = 500
) -> Episode:
    """Play an episode in the zoo's fast environment, also for agents trained in its reference."""
    env, ppo, mind = _jax_env(policies.simulator), policies.ppo, policies.one(agent)
    lanes = JaxLanes(env, 1)
    act, step = jax.jit(ppo.act), jax.jit(lanes.step)
    key, k_reset = jax.random.split(jax.random.key(seed))
    states, view = lanes.reset(k_reset)
    hidden, starts = ppo.first_hidden(lanes.lanes), np.ones(lanes.lanes, bool)
    seen, total, steps, done = [_moment(lanes, states)], 0.0, 0, False
    while not done and steps < most_steps:
        key, k_act, k_step = jax.random.split(key, 3)
        hidden, choice = act(mind, hidden, view, starts, k_act)
        action = ppo.for_environment(choice.action)
        states, view, outcome = step(k_step, states, action)
        reward = float(outcome.reward[0])
        total += reward
        steps += 1
        starts = np.asarray(outcome.terminated | outcome.truncated)
        done = bool(starts[0])
        if not done:  # an ended episode's state is that of the next one
            seen.append(_moment(lanes, states, np.asarray(action), reward))
    stride = -(-len(seen) // MOST_FRAMES)
    bare = split_options(policies.simulator)[0]
    room = next((room for room in rooms() if room.owns(bare)), None)
    frames = draw(seen[::stride], env, room, policies.simulator)
    return Episode(env.id, policies.simulator, frames, stride, steps, total)


def _moment(lanes: JaxLanes, states: Any, action: Any = None, reward: float = 0.0) -> Moment:
    state = jax.tree.map(lambda x: np.asarray(x[0]), lanes.env.inner(states))
    obs = jax.tree.map(np.asarray, lanes.bare.view(state))
    return Moment(state, named_leaves(state), obs, action, reward)


def _jax_env(simulator: str) -> Env:
    """Return the zoo's JAX environment of a simulator, also of its reference or of a Rust batch."""
    name = parse_name(simulator)
    scheme, bare, options = name.scheme, name.target, name.options
    for room in rooms():
        if room.reference == name.bare:
            scheme, bare = "envwright", room.id
    if scheme == "envwright" and is_native(bare, options.get("backend")):
        options.pop("backend", None)
    target = None
    if scheme in ("envwright", "python"):
        target = open_target(join_options(f"{scheme}:{bare}", options))
    if not isinstance(target, Env):
        raise EnvwrightError(f"{simulator} cannot be watched; only JAX environments can be")
    return target


def _reduced(frame: np.ndarray) -> Image.Image:
    picture = Image.fromarray(frame)
    if picture.width <= WIDTH:
        return picture
    height = round(picture.height * WIDTH / picture.width)
    return picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
