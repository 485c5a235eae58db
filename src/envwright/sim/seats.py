"""Games of several players as PettingZoo games are compared: all views, and what is legal."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
from gymnasium.vector.utils import batch_space

from envwright.core.env import Env
from envwright.core.spaces import Discrete
from envwright.errors import EnvwrightError
from envwright.sim.functional import FunctionalSimulator, Game, game_of


class SeatedSimulator(FunctionalSimulator):
    """A game of ours that shows all views, and takes the mover's or everyone's actions."""

    sits = True

    def __init__(self, env: Env, name: str, masks: bool, x64: bool) -> None:
        self.env, self.players, self.masks = env, env.num_players, masks
        game = _game(env, masks)
        seen, actions = _spaces(env, masks)
        functions = game.reset, game.advance, game.observe
        super().__init__(name, *functions, seen, actions, x64)


def _game(env: Env, masks: bool) -> Game:
    """Return the functions of a game.

    With `masks`, observations hold what is `legal`, and an illegal action stands for the next legal
    one.
    """
    space = env.action_space()
    if masks and not isinstance(space, Discrete):
        raise EnvwrightError(f"{env.name} has no Discrete actions, so it has no masks")
    game, players = game_of(env), range(env.num_players)

    def legal(state: Any) -> Any:
        if env.simultaneous:
            return jnp.stack([env.legal_actions(state, player) for player in players])
        return env.legal_actions(state, env.current_player(state))

    def shown(state: Any, over: Any) -> dict[str, Any]:
        each = [env.observe(state, player) for player in players]
        seen = {"views": jax.tree.map(lambda *view: jnp.stack(view), *each)}
        return {**seen, "legal": legal(state) | over} if masks else seen

    def allowed(state: Any, action: Any) -> Any:
        if not masks:
            return action
        first: Any = getattr(space, "start", 0)
        nearest = jnp.vectorize(_next_legal, signature="(),(a)->()")
        return first + nearest(action - first, legal(state))

    def looked(result: tuple[Any, ...]) -> tuple[Any, ...]:
        _, following, reward, terminated, truncated = result
        return shown(following, terminated | truncated), following, reward, terminated, truncated

    def reset(key: Any) -> tuple[Any, Any]:
        _, state = game.reset(key)
        return shown(state, False), state

    def advance(key: Any, state: Any, action: Any) -> tuple[Any, ...]:
        return looked(game.advance(key, state, allowed(state, action)))

    def advance_with(state: Any, action: Any, noise: Any) -> tuple[Any, ...]:
        return looked(game.advance_with(state, allowed(state, action), noise))

    return Game(reset, advance, lambda state: shown(state, False), game.start_with, advance_with)


def _next_legal(action: Any, legal: Any) -> Any:
    wanted = (action + jnp.arange(legal.shape[0], dtype=action.dtype)) % legal.shape[0]
    return wanted[jnp.argmax(legal[wanted])]


def _spaces(env: Env, masks: bool) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    acts: Any = env.action_space().to_gymnasium()
    seen = {"views": batch_space(env.observation_space().to_gymnasium(), env.num_players)}
    if masks:
        count = int(acts.n)
        shape = (env.num_players, count) if env.simultaneous else count
        seen["legal"] = gymnasium.spaces.MultiBinary(shape)
    actions = batch_space(acts, env.num_players) if env.simultaneous else acts
    return gymnasium.spaces.Dict(seen), actions
