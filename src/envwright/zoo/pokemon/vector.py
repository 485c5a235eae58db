"""Pokemon battles in Rust as an environment: N of them in one call, on all cores.

    env = envwright.make("pokemon", backend="rust", num_envs=4096)
    obs = env.reset(seed=0)                      # float32[N, 2, SIZE], env.legal bool[N, 2, 14]
    step = env.step(actions)                     # int32[N, 2]; step.reward float32[N, 2]

    env = envwright.make("pokemon", backend="rust", num_envs=4096, opponent="max damage")
    obs = env.reset(seed=0)                      # float32[N, SIZE], env.legal bool[N, 14]

Actions, masks, views, rewards and the pool are those of `PokemonBattles`; views are equal bit for
bit. Given teams may use everything that the Rust battles support, which is more.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from envwright.core.native import NativeVectorEnv, available_cores
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import observe, opponents
from envwright.zoo.pokemon.native import ACTIONS, NativeBattles, played
from envwright.zoo.pokemon.pool import load_pool
from envwright.zoo.pokemon.support import given
from envwright.zoo.pokemon.teams import Team

_WORD = 8  # bytes of a number in the note of a snapshot


class NativePokemon(NativeVectorEnv):
    """`make("pokemon", backend="rust", num_envs=4096)`; `threads`: all cores unless given.

    `opponent` names a player of `opponents.py` that plays the second seat; without one both are
    played from outside. Where nothing is asked of a player, action 13 is all it may do.
    """

    id, version = "pokemon", 1

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        view: str = "own",
        teams: Sequence[Team | str] | None = None,
        opponent: str | None = None,
    ) -> None:
        if view not in observe.VIEWS:
            raise EnvwrightError(f"view is {' or '.join(observe.VIEWS)}, not '{view}'")
        if opponent is not None and opponent not in opponents.OPPONENTS:
            known = ", ".join(opponents.OPPONENTS)
            raise EnvwrightError(f"there is no opponent '{opponent}'; there are {known}")
        battles = NativeBattles(num_envs, available_cores() if threads is None else threads)
        roster = load_pool() if teams is None else given(teams, played)
        battles.bring(roster, fixed=teams is not None)
        super().__init__(Seats(battles, view, opponent))
        self.observation_space = Box(-np.inf, np.inf, (observe.SIZE,), np.float32)
        self.action_space = Discrete(ACTIONS)


class Seats:
    """Battles as a native environment of one player or of two; see `core.native.NativeEnv`."""

    obs_dtype, action_dtype = "float32", "int32"

    def __init__(self, battles: NativeBattles, view: str, opponent: str | None) -> None:
        self.battles, self.view, self.opponent = battles, view, opponent
        self.num_envs, self.threads = battles.num_envs, battles.threads
        self.players = 2 if opponent is None else 1
        seats = (2,) if self.players == 2 else ()
        self.obs_shape, self.action_shape = (*seats, observe.SIZE), seats
        self.identity = f"pokemon-v1 {view}" + (f" against {opponent}" if opponent else "")
        self._masks = np.zeros((self.num_envs, 2, ACTIONS), bool)
        self._rewards = np.zeros((self.num_envs, 2), np.float32)
        self._chosen = np.zeros((self.num_envs, 2), np.int32)
        self._luck = [0, 0]  # the opponent's: a seed, and how often it has chosen

    @property
    def legal(self) -> np.ndarray:
        """Return the legal actions, bool[N, 2, 14], or bool[N, 14] against an opponent."""
        return self._masks if self.players == 2 else self._masks[:, 0]

    @property
    def fields(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The fields of the state."""
        named = self.state_fields().items()
        return {name: (str(field.dtype), field.shape[1:]) for name, field in named}

    def reset(self, seeds: np.ndarray, obs: np.ndarray) -> None:
        """Begin a battle in every lane; its seed decides all draws."""
        self.battles.restart(seeds)
        self._luck = [int(np.bitwise_xor.reduce(seeds)), 0]
        self.observe(obs)

    def observe(self, obs: np.ndarray) -> None:
        """Write views of the current states, and update the masks."""
        self.battles.native.observe(self._views(obs), self.view)
        self.battles.native.masks(self._masks)

    def step(
        self,
        actions: np.ndarray,
        obs: np.ndarray,
        reward: np.ndarray,
        terminated: np.ndarray,
        truncated: np.ndarray,
        final_obs: np.ndarray | None = None,
    ) -> None:
        """Play both choices; with `final_obs`, a battle that ends is followed by another at once.

        Without, it stays as it is.
        """
        both = self.players == 2
        if not both:
            self._chosen[:, 0], self._chosen[:, 1] = actions, self._answer()
        paid = reward if both else self._rewards
        self.battles.play(
            actions if both else self._chosen,
            (self._masks, paid, terminated),
            again=final_obs is not None,
            obs=self._views(obs),
            final_obs=None if final_obs is None else self._views(final_obs),
            view=self.view,
        )
        truncated[:] = False
        if not both:
            reward[:] = paid[:, 0]

    step_raw = step

    def _answer(self) -> np.ndarray:
        """Return what the opponent chooses, int32[N]."""
        noise = np.random.default_rng(self._luck).random((ACTIONS, self.num_envs), np.float32)
        self._luck[1] += 1
        state: Any = SimpleNamespace(**self.battles.state())
        legal = np.moveaxis(self._masks, 0, -1)
        assert self.opponent is not None
        return np.asarray(opponents.choose(np, self.opponent, state, legal, noise, 1))

    def _views(self, obs: np.ndarray) -> np.ndarray:
        return obs.reshape(self.num_envs, self.players, observe.SIZE)

    def state_fields(self) -> dict[str, np.ndarray]:
        """Return the fields of `NativeBattles.state`, battles first."""
        return {name: np.moveaxis(f, -1, 0).copy() for name, f in self.battles.state().items()}

    def load(self, index: int, fields: dict[str, Any]) -> None:
        """Raise: a battle is more than its named fields."""
        raise EnvwrightError("a battle cannot be put together from fields; restore a snapshot")

    def load_all(self, fields: dict[str, Any]) -> None:
        """Raise: a battle is more than its named fields."""
        self.load(0, fields)

    def snapshot(self) -> bytes:
        """Return all battles, what was shown in them, and the opponent's chance."""
        luck = b"".join(number.to_bytes(_WORD, "little") for number in self._luck)
        return self.battles.snapshot(identity=self.identity, note=luck)

    def restore(self, snapshot: bytes) -> None:
        """Continue from what `snapshot` returned."""
        luck = self.battles.restore(snapshot, identity=self.identity, note_size=2 * _WORD)
        self._luck = [int.from_bytes(word, "little") for word in (luck[:_WORD], luck[_WORD:])]

    def __repr__(self) -> str:
        return f"<{self.identity}: {self.num_envs} battles, {self.threads} threads>"
