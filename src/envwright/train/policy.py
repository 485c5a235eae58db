"""A file of trained policies: parameters, and how they were trained."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import msgspec
import numpy as np

from envwright.core.array_file import read_arrays
from envwright.core.files import json_text, write_bytes
from envwright.core.spaces import Space
from envwright.errors import EnvwrightError
from envwright.schema.json_records import as_json, parse_json
from envwright.train.config import PPOConfig, configure
from envwright.train.ppo import PPO, Agent

FORMAT = 1
ABOUT = "about"


class About(msgspec.Struct, frozen=True):
    """The metadata in a file of policies."""

    simulator: str
    config: dict[str, bool | int | float | str]
    seeds: tuple[int, ...]
    steps: int


@dataclass(frozen=True)
class Policies:
    """The agents of one run at one moment, one for each seed."""

    simulator: str  # the simulator of training
    config: PPOConfig
    seeds: tuple[int, ...]
    steps: int  # steps of training per seed
    ppo: PPO
    agent: Agent  # leaves [S, …]; the optimiser's memory is not kept

    def one(self, index: int) -> Agent:
        """Return the agent of `seeds[index]`."""
        if index >= len(self.seeds):
            raise EnvwrightError(f"the run has {len(self.seeds)} agents; --agent starts at 0")
        return jax.tree.map(lambda x: x[index], self.agent)

    def save(self, path: Path) -> Path:
        """Write the policies to one file."""
        about = {
            "format": FORMAT,
            **as_json(About(self.simulator, self.config.to_json(), self.seeds, self.steps)),
        }
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {ABOUT: np.array(json_text(about)), **_leaves(self.agent)}
        np.savez(buffer, **arrays)
        return write_bytes(path, buffer.getvalue())


def side_by_side(several: list[Policies]) -> Policies:
    """Join the policies of one run at several moments to one population; seeds repeat."""
    first = several[0]
    agent = jax.tree.map(lambda *x: np.concatenate(x), *[each.agent for each in several])
    seeds = tuple(seed for each in several for seed in each.seeds)
    return replace(first, seeds=seeds, steps=several[-1].steps, agent=agent)


def load_policies(path: Path, obs_space: Space, action_space: Space) -> Policies:
    """Load policies for environments with these spaces."""
    try:
        leaves = read_arrays(path)
        data = parse_json(str(leaves.pop(ABOUT)))
        if isinstance(data, dict) and data.get("format") != FORMAT:
            raise EnvwrightError(f"{path} was written by another version; train again")
        about = msgspec.convert(data, About)
        config = configure(PPOConfig(), about.config)
    except FileNotFoundError as error:
        raise EnvwrightError(f"there is no {path}; train first") from error
    except (OSError, ValueError, KeyError) as error:
        raise EnvwrightError(
            f"{path} is not a file of policies, or is damaged; train again"
        ) from error
    ppo = PPO(config, obs_space, action_space)
    agent = _agent(ppo, leaves, len(about.seeds), path)
    return Policies(about.simulator, config, about.seeds, about.steps, ppo, agent)


def _kept(agent: Agent) -> Any:
    return agent.params, agent.obs_moments


def _leaves(agent: Agent) -> dict[str, np.ndarray]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(_kept(agent))
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def _agent(ppo: PPO, leaves: dict[str, np.ndarray], count: int, path: Path) -> Agent:
    like = jax.eval_shape(ppo.init, jax.random.key(0))
    wanted, tree = jax.tree_util.tree_flatten_with_path(_kept(like))
    names = [jax.tree_util.keystr(where) for where, _ in wanted]
    kinds = {
        name: ((count, *leaf.shape), leaf.dtype)
        for name, (_, leaf) in zip(names, wanted, strict=True)
    }
    if kinds != {name: (leaf.shape, leaf.dtype) for name, leaf in leaves.items()}:
        raise EnvwrightError(f"the policies of {path} do not fit these observations and actions")
    params, moments = jax.tree_util.tree_unflatten(tree, [leaves[name] for name in names])
    return Agent(params, None, moments, None)
