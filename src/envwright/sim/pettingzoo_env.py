"""PettingZoo games as simulators: players who move in turn, or all at once.

An observation holds the views of all players, `[players, …]`, and what is `legal` if the game has
masks: for the mover in turn (`[actions]`), for every player at once (`[players, actions]`). After
the end everything is legal. A step takes the mover's action, or an action for each player, and pays
`reward[players]`. An illegal action stands for the next legal one.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from envwright.core.room import import_named
from envwright.errors import EnvwrightError, MissingPackage
from envwright.sim.records import Fields, flatten, outcome
from envwright.sim.simulator import Simulator

MASK, VIEW = "action_mask", "observation"


def open_pettingzoo(target: str, /, **options: Any) -> Simulator:
    """Open `pettingzoo:MODULE`, or `pettingzoo:MODULE:FACTORY`."""
    module, _, factory = target.partition(":")
    try:
        import_named("pettingzoo")
        made_by = import_named(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name) and error.name != "pettingzoo":
            raise EnvwrightError(f"there is no module {module!r}; is it on the path?") from error
        raise MissingPackage(
            f"pettingzoo:{target} needs the package {error.name!r}; install pettingzoo with "
            "pip install 'envwright[pettingzoo]', and what its game needs"
        ) from error
    factories = [factory] if factory else ["parallel_env", "env"]
    make = next((getattr(made_by, name) for name in factories if hasattr(made_by, name)), None)
    if make is None:
        raise EnvwrightError(f"{module} has no {' or '.join(factories)}; write MODULE:FACTORY")
    env, name = make(**options), f"pettingzoo:{target}"
    table = as_table(env, name)
    if table is None:
        made = type(env).__name__
        raise EnvwrightError(f"{name} makes a {made}; give an AECEnv or a ParallelEnv")
    return table


def as_table(env: Any, name: str) -> Simulator | None:
    """Return a PettingZoo game as a simulator; None for anything else."""
    pettingzoo = sys.modules.get("pettingzoo")
    if pettingzoo is None:  # then it cannot be one of its games
        return None
    if isinstance(env, pettingzoo.ParallelEnv):
        return AtOnce(env, name)
    return InTurn(env, name) if isinstance(env, pettingzoo.AECEnv) else None


class Table(Simulator):
    """The common part of both kinds of games."""

    draws_unseen = True
    sits = True

    def __init__(self, env: Any, name: str) -> None:
        self.name, self._env = name, env
        self._agents = list(env.possible_agents)
        self.players = len(self._agents)
        seen, self._moves = (
            self._shared(kind, [of(agent) for agent in self._agents])
            for kind, of in (
                ("observation", env.observation_space),
                ("action", env.action_space),
            )
        )
        inside = seen.spaces if isinstance(seen, gymnasium.spaces.Dict) else {}
        self.masks = MASK in inside
        views = batch_space(inside[VIEW] if self.masks else seen, self.players)
        parts = {"legal": self._legal_space()} if self.masks else {}
        self.observation_space = gymnasium.spaces.Dict({"views": views, **parts})

    def seated(self, masks: bool) -> Simulator:
        return self

    def close(self) -> None:
        self._env.close()

    def _legal_space(self) -> gymnasium.Space[Any]:
        raise NotImplementedError

    def _shared(self, kind: str, spaces: list[gymnasium.Space[Any]]) -> gymnasium.Space[Any]:
        """Return the space of all players. Raises if they differ."""
        for agent, space in zip(self._agents, spaces, strict=True):
            if space != spaces[0]:
                raise EnvwrightError(
                    f"{self.name}: {self._agents[0]} and {agent} have different {kind} spaces, "
                    "which is not supported; give all players the same ones in a wrapper"
                )
        return spaces[0]

    def _shown(self, seen: dict[str, Any], legal: np.ndarray | None) -> dict[str, Any]:
        """Return what all players see as one observation."""
        views = [seen[agent][VIEW] if self.masks else seen[agent] for agent in self._agents]
        found = {"views": np.stack([np.asarray(view) for view in views])}
        return found if legal is None else {**found, "legal": np.asarray(legal, bool)}

    def _ends(
        self, terminations: dict[str, bool], truncations: dict[str, bool]
    ) -> tuple[bool, bool]:
        """Return whether the game was decided, or cut. Raises if only some players are out."""
        out = [a for a in self._agents if terminations.get(a, True) or truncations.get(a, True)]
        if out and len(out) < self.players:
            raise EnvwrightError(
                f"{self.name}: {', '.join(out)} left before the others, which is not supported; "
                "keep all players in the game until its end"
            )
        return all(terminations.get(a, True) for a in self._agents), bool(out)

    def _legal_move(self, action: Any, legal: np.ndarray | None) -> Any:
        if not isinstance(self._moves, gymnasium.spaces.Discrete):
            return np.asarray(action, self._moves.dtype)
        if legal is None or not np.any(legal):
            return int(action)
        number = int(action) - int(self._moves.start)
        wanted = (number + np.arange(len(legal))) % len(legal)
        return int(self._moves.start + wanted[np.argmax(legal[wanted])])


class InTurn(Table):
    """An AEC game: a step is the mover's action."""

    def __init__(self, env: Any, name: str) -> None:
        super().__init__(env, name)
        self.action_space = self._moves

    def reset(self, seed: int) -> Fields:
        self._env.reset(seed=seed)
        return flatten("obs", self._views(over=False))

    def step(self, action: Any) -> Fields:
        mask = self._env.observe(self._env.agent_selection)[MASK] if self.masks else None
        self._env.step(self._legal_move(action, mask))
        terminated, over = self._ends(self._env.terminations, self._env.truncations)
        rewards = [float(self._env.rewards.get(agent, 0.0)) for agent in self._agents]
        return outcome(self._views(over), np.array(rewards), terminated, over)

    def _legal_space(self) -> gymnasium.Space[Any]:
        return gymnasium.spaces.MultiBinary(int(self._moves.n))  # type: ignore[attr-defined]

    def _views(self, over: bool) -> dict[str, Any]:
        seen = {agent: self._env.observe(agent) for agent in self._agents}
        legal = seen[self._env.agent_selection][MASK] if self.masks else None
        return self._shown(seen, np.ones_like(legal) if over and legal is not None else legal)


class AtOnce(Table):
    """A parallel game: a step is an action of every player."""

    def __init__(self, env: Any, name: str) -> None:
        super().__init__(env, name)
        self.action_space = batch_space(self._moves, self.players)
        self._legal: np.ndarray | None = None

    def reset(self, seed: int) -> Fields:
        seen, _ = self._env.reset(seed=seed)
        return flatten("obs", self._noted(seen, over=False))

    def step(self, action: Any) -> Fields:
        masks = [None] * self.players if self._legal is None else list(self._legal)
        moves = [self._legal_move(a, mask) for a, mask in zip(action, masks, strict=True)]
        result = self._env.step(dict(zip(self._agents, moves, strict=True)))
        seen, rewards, terminations, truncations, _ = result
        terminated, over = self._ends(terminations, truncations)
        paid = np.array([float(rewards[agent]) for agent in self._agents])
        return outcome(self._noted(seen, over), paid, terminated, over)

    def _legal_space(self) -> gymnasium.Space[Any]:
        return gymnasium.spaces.MultiBinary((self.players, int(self._moves.n)))  # type: ignore[attr-defined]

    def _noted(self, seen: dict[str, Any], over: bool) -> dict[str, Any]:
        """Return the observation, and remember what is legal."""
        if self.masks:
            self._legal = np.stack([seen[agent][MASK] for agent in self._agents]).astype(bool)
        legal = self._legal
        return self._shown(seen, np.ones_like(legal) if over and legal is not None else legal)
