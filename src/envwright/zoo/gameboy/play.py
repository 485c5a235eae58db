"""Play a Game Boy game for pictures: random buttons, or a trained agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.registry import make
from envwright.schema.names import split_options
from envwright.train.play import MOST_FRAMES, Episode

RANDOM = "random buttons"
Act = Callable[[np.ndarray], int]  # an observation to an action
SCALE = 2  # of the picture


class RandomEpisode(Episode):
    """An episode of random actions."""

    @property
    def caption(self) -> str:
        return f"{self.env}, {RANDOM}: return {self.total:g} in {self.steps} steps"


def play(options: dict[str, Any], seed: int, steps: int) -> Episode:
    """Press random buttons in a game with its rules, or in any ROM frame by frame."""
    rom, game = options.get("rom"), options.get("game")
    if rom is not None and game is None:
        return play_rom(rom, seed, steps)
    given = {} if rom is None else {"rom": str(rom)}
    return play_random(seed, steps, game=game or "emberkeep", **given)


def play_random(seed: int, steps: int, **options: Any) -> Episode:
    """Play an episode with random actions."""
    rng = np.random.default_rng(seed)
    env = make("gameboy", num_envs=1, threads=1, **options)
    return _played(lambda obs: int(rng.integers(env.action_space.n)), RANDOM, seed, steps, options)


def play_rom(rom: Path, seed: int, frames: int) -> Episode:
    """Play any ROM with random buttons, without rules: a step is a frame."""
    from envwright.zoo.gameboy.ours import OurConsole
    from envwright.zoo.gameboy.presses import random_frames
    from envwright.zoo.gameboy.roms import read_rom, title_of

    data = read_rom(rom)
    console = OurConsole(data)
    seen = []
    stride = -(-frames // MOST_FRAMES)
    for number, frame in enumerate(random_frames(seed, frames)):
        console.hold(frame.buttons)
        console.tick(1, render=True)
        if number % stride == 0:
            seen.append(_larger(console.capture().screen))
    return RandomEpisode(title_of(data) or rom.name, RANDOM, seen, stride, frames, 0.0)


def play_trained(simulator: str, policies: Path, agent: int, seed: int, steps: int) -> Episode:
    """Play an episode of the policies in a file, in the Rust environment."""
    import jax

    from envwright.train.policy import load_policies
    from envwright.train.ppo import View

    options = split_options(simulator)[1]
    options.pop("backend", None)
    env = make("gameboy", num_envs=1, threads=1, **options)
    found = load_policies(policies, env.observation_space, env.action_space)
    ppo, mind, act = found.ppo, found.one(agent), jax.jit(found.ppo.act)
    memory = {
        "hidden": ppo.first_hidden(1),
        "starts": np.ones(1, bool),
        "key": jax.random.key(seed),
    }

    def chosen(obs: np.ndarray) -> int:
        memory["key"], k_act = jax.random.split(memory["key"])
        view = View(obs[None])
        memory["hidden"], choice = act(mind, memory["hidden"], view, memory["starts"], k_act)
        memory["starts"] = np.zeros(1, bool)
        return int(ppo.for_environment(choice.action)[0])

    return _played(chosen, simulator, seed, steps, options)


def _played(act: Act, trained: str, seed: int, steps: int, options: dict[str, Any]) -> Episode:
    """Play the same seed and actions twice: once for the agent, once for people."""
    env = make("gameboy", num_envs=1, threads=1, **options)
    pictured: dict[str, Any] = {**options, "observation": "rgb"}
    eyes = make("gameboy", num_envs=1, threads=1, **pictured)
    obs, picture = env.reset(seed), eyes.reset(seed)
    seen, total, done = [_larger(picture[0])], 0.0, 0
    over = False
    while not over and done < steps:
        action = np.array([act(obs[0])], np.int32)
        step, shown = env.step_raw(action), eyes.step_raw(action)
        obs, over = step.obs, bool(step.terminated[0] or step.truncated[0])
        total, done = total + float(step.reward[0]), done + 1
        seen.append(_larger(shown.obs[0]))
    stride = -(-len(seen) // MOST_FRAMES)
    kind = RandomEpisode if trained == RANDOM else Episode
    return kind("gameboy", trained, seen[::stride], stride, done, total)


def _larger(screen: np.ndarray) -> np.ndarray:
    return screen.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
