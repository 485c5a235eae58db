"""PettingZoo adapters: AEC environments for games in turn, parallel ones otherwise."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium.utils import seeding

from envwright.adapters.episode import (
    Episode,
    check_actions,
    find_env,
    of_space,
    to_numpy,
    views_and_masks,
)
from envwright.core.env import Env, Step
from envwright.core.spaces import Discrete
from envwright.core.wrappers import has_picture
from envwright.errors import EnvwrightError, MissingPackage

try:
    from pettingzoo import AECEnv, ParallelEnv
except ImportError as error:
    raise MissingPackage(
        "the PettingZoo adapter needs pettingzoo; pip install 'envwright[pettingzoo]'"
    ) from error


def to_pettingzoo(
    env: str | Env, params: Any = None, render_mode: str | None = None, **options: Any
) -> PettingZooTurns | PettingZooParallel:
    """Make an AECEnv if players move in turn, a ParallelEnv if they move at once."""
    game = find_env(env, **options)
    if game.num_players < 2:
        raise EnvwrightError(f"{game.name} has one player; use envwright.adapters.gymnasium")
    if not isinstance(game.action_space(params), Discrete):
        raise EnvwrightError(f"{game.name} has no Discrete actions, so it has no masks")
    kind = PettingZooParallel if game.simultaneous else PettingZooTurns
    return kind(game, params, render_mode)


class _Game:
    """The common part of both kinds: agents, spaces, seeds and pictures.

    Observations are `{"observation", "action_mask"}`; the mask of a player who cannot act is zero.
    """

    def __init__(self, env: Env, params: Any = None, render_mode: str | None = None) -> None:
        modes = ["rgb_array"] if has_picture(env) else []
        if render_mode is not None and render_mode not in modes:
            raise EnvwrightError(
                f"{env.name} has no render_mode {render_mode!r}; use {modes or None}"
            )
        self.env, self.render_mode = env, render_mode
        name = env.name.replace("-", "_")
        self.metadata = {"name": name, "render_modes": modes, "is_parallelizable": env.simultaneous}
        self.possible_agents = [f"player_{i}" for i in range(env.num_players)]
        self.agents: list[str] = []
        self._actions = env.action_space(params)
        self._episode = Episode(env, params, read=views_and_masks)
        self._seen: dict[str, Any] = {}
        mask = gymnasium.spaces.Box(0, 1, (int(self._actions.n),), np.int8)  # type: ignore[attr-defined]
        self.observation_spaces, self.action_spaces = {}, {}
        for agent in self.possible_agents:  # separate ones, because each is seeded
            view = env.observation_space(params).to_gymnasium()
            views: dict[str, Any] = {"observation": view, "action_mask": mask}
            self.observation_spaces[agent] = gymnasium.spaces.Dict(views)
            self.action_spaces[agent] = self._actions.to_gymnasium()

    def observation_space(self, agent: str) -> gymnasium.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        return self.action_spaces[agent]

    def render(self) -> np.ndarray | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode; make it with 'rgb_array'")
            return None
        return self.env.render(self._episode.state)

    def close(self) -> None:
        """Do nothing, because nothing is open."""

    def _start(self, seed: int | None) -> None:
        if seed is None and self._episode.stream is None:
            _, seed = seeding.np_random()
        _, self._seen = self._episode.reset(seed)
        self.agents = self.possible_agents[:]

    def _play(self, action: np.ndarray) -> Step:
        after, self._seen = self._episode.step(action)
        return after

    def _index(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _mask(self, player: int) -> np.ndarray:
        return np.asarray(self._seen["masks"][player])

    def _view(self, player: int, may_move: bool) -> dict[str, Any]:
        space = self.observation_spaces[self.possible_agents[player]]["observation"]
        view = jax.tree.map(lambda views: np.asarray(views)[player], self._seen["views"])
        mask = self._mask(player) & may_move
        return {"observation": of_space(space, view), "action_mask": mask.astype(np.int8)}

    def _agent_infos(self, after: Step) -> dict[str, dict[str, Any]]:
        """Return the same info for every agent."""
        info = to_numpy({k: v for k, v in after.info.items() if k != "final_observation"})
        return {agent: dict(info) for agent in self.possible_agents}

    def _by_agent(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.possible_agents, values, strict=True))


class PettingZooTurns(_Game, AECEnv):
    """A game in turn: `for agent in env.agent_iter(): env.step(action)`."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select_mover()

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        after = self._play(check_actions(self._actions, action, self._mask(self._index(agent))))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._by_agent(np.asarray(after.reward, float).tolist())
        self.terminations = dict.fromkeys(self.agents, bool(after.terminated))
        self.truncations = dict.fromkeys(self.agents, bool(after.truncated))
        self.infos = self._agent_infos(after)
        self._accumulate_rewards()
        self._select_mover()

    def observe(self, agent: str) -> dict[str, Any]:
        return self._view(self._index(agent), may_move=agent == self.agent_selection)

    def _select_mover(self) -> None:
        self.agent_selection = self.possible_agents[int(self._seen["mover"])]


class PettingZooParallel(_Game, ParallelEnv):
    """A game with simultaneous moves: `env.step({agent: action, …})`.

    A waiting player may omit the action or send any; the no-op is played.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        self._start(seed)
        return self._views(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        if not self.agents:
            raise EnvwrightError("no episode is running; call reset() first")
        after = self._play(np.stack([self._chosen(agent, actions) for agent in self.agents]))
        rewards = self._by_agent(np.asarray(after.reward, float).tolist())
        terminated = dict.fromkeys(self.agents, bool(after.terminated))
        truncated = dict.fromkeys(self.agents, bool(after.truncated))
        views, infos = self._views(), self._agent_infos(after)
        if self._episode.over:
            self.agents = []
        return views, rewards, terminated, truncated, infos

    def _views(self) -> dict[str, Any]:
        return {agent: self._view(self._index(agent), may_move=True) for agent in self.agents}

    def _chosen(self, agent: str, actions: dict[str, Any]) -> np.ndarray:
        mask = self._mask(self._index(agent))
        waits = mask[self.env.noop] and mask.sum() == 1
        if not waits and agent not in actions:
            raise EnvwrightError(f"{agent} has no action; pass one for each of {self.agents}")
        action = np.int32(self.env.noop) if waits else actions[agent]
        return check_actions(self._actions, action, mask)
