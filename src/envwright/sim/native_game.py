"""Translated games as batches in Rust: what an extension module of a package offers.

    class Lamp(NativeGame):
        id, version, library = "fast_lamp", 1, "fast_lamp._native"

    env = Lamp(num_envs=4096, max_steps=40)

The module takes and gives bytes. They are arrays of the game's own dtypes here, without a copy; an
observation with named parts is an array of records: `obs["picture"]` is a view of it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from envwright.core.files import plain
from envwright.core.native import NativeVectorEnv, available_cores
from envwright.core.spaces import from_gymnasium
from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.sim.encoding import decode, encode, space_from
from envwright.sim.simulator import TwinRaised

RNG = "rng"  # the field of a state that holds the generator's words


class NativeGame(NativeVectorEnv):
    """N games of a package's extension module; `options` are the game's own."""

    id: str
    version: int
    library: str  # the module's name

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        restarts_later: bool = False,
        **options: Any,
    ) -> None:
        """Make a batch. If `restarts_later`, an ended game restarts with the next step."""
        module = self._load()
        given = json.dumps(plain(options), sort_keys=True)
        try:
            self._asked = module.Asked(given)
        except ValueError as error:
            raise EnvwrightError(f"{self.id}-v{self.version}: {error}") from error
        told = self.ask(op="spaces")
        observed, acted = space_from(told["observation"]), space_from(told["action"])
        threads = available_cores() if threads is None else threads
        self._native: _Typed
        batch = module.Batch(num_envs, threads, given, restarts_later)
        super().__init__(_Typed(batch, observed, acted))
        self.restarts_later = restarts_later
        self.observation_space = from_gymnasium(observed)
        self.action_space = from_gymnasium(acted)
        self.time_limit: int | None = told["time_limit"]
        self._begun = False

    def reset(self, seed: int | Sequence[int | None] | None = None) -> NDArray[Any]:
        """Start every environment anew and return the first observations.

        An integer seeds environment i with `seed + i`, as Gymnasium does. Without a seed, every
        generator goes on from where it is; before the first seed, seeds come from the system.
        """
        if seed is None and self._begun:
            self._native.restart(self.obs)
            return self.obs
        self._begun = True
        return super().reset(seed)

    def load_all(self, state: Mapping[str, ArrayLike]) -> None:
        super().load_all(state)
        self._begun = True

    def restore(self, snapshot: bytes) -> NDArray[Any]:
        self._begun = True
        return super().restore(snapshot)

    def ask(self, **question: Any) -> dict[str, Any]:
        """Ask the judged game, apart from the batch; `sim.command` lists the questions."""
        answer = decode(json.loads(self._asked.ask(json.dumps(encode(question, packed=False)))))
        if "error" in answer:
            raise TwinRaised(answer["error"])
        return answer

    def step_into(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        exact = reward if reward.dtype == self.reward.dtype else self.reward
        super().step_into(actions, obs, exact, terminated, truncated)
        if exact is not reward:
            reward[:] = exact

    @classmethod
    def _load(cls) -> Any:
        package = cls.library.partition(".")[0]
        build = "build it with pip install FOLDER, where FOLDER holds its pyproject.toml"
        try:
            module = importlib.import_module(cls.library)
        except ModuleNotFoundError as error:
            if error.name != cls.library:
                raise
            raise EnvwrightError(
                f"{package} has no extension module for this machine; {build}"
            ) from error
        except ImportError as error:  # damaged, or made for another machine
            told = one_line(str(error))
            raise EnvwrightError(
                f"the extension module of {package} cannot be loaded ({told}); {build}"
            ) from error
        if not (hasattr(module, "Asked") and hasattr(module, "Batch")):
            raise EnvwrightError(f"the extension module of {package} is none of ours; {build}")
        return module


class _Typed:
    """A batch of bytes as a `NativeEnv` of typed arrays."""

    def __init__(self, batch: Any, observed: gymnasium.Space[Any], acted: Any) -> None:
        self._batch = batch
        self.num_envs: int = batch.num_envs
        self.threads: int = batch.threads
        self.identity: str = batch.identity
        self.players: int = batch.players
        self.fields: dict[str, tuple[str, tuple[int, ...]]] = batch.fields
        self.reward_dtype: str = batch.reward_dtype
        seats = () if self.players == 1 else (self.players,)
        dtype, shape = _row_of(observed)
        self.obs_dtype: Any = dtype
        self.obs_shape = seats + shape
        self.action_dtype: Any = acted.dtype
        self.action_shape = seats + tuple(acted.shape or ())
        self._actions = (self.num_envs, *batch.action_shape)
        self._rows = (self.num_envs, *batch.obs_shape)

    @property
    def legal(self) -> NDArray[np.bool_] | None:
        return self._batch.legal

    def reset(self, seeds: NDArray[np.uint64], obs: NDArray[Any]) -> None:
        self._batch.reset(seeds, self._bytes(obs))

    def restart(self, obs: NDArray[Any]) -> None:
        self._batch.restart(self._bytes(obs))

    def step(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        final_obs: NDArray[Any],
    ) -> None:
        rows, last = self._bytes(obs), self._bytes(final_obs)
        self._batch.step(self._numbers(actions), rows, reward, terminated, truncated, last)

    def step_raw(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        rows = self._bytes(obs)
        self._batch.step_raw(self._numbers(actions), rows, reward, terminated, truncated)

    def observe(self, obs: NDArray[Any]) -> None:
        self._batch.observe(self._bytes(obs))

    def state_fields(self) -> dict[str, NDArray[Any]]:
        return self._batch.state_fields()

    def load(self, index: int, fields: dict[str, Any]) -> None:
        self._batch.load(index, fields)

    def load_all(self, fields: dict[str, Any]) -> None:
        self._batch.load_all(fields)

    def snapshot(self) -> bytes:
        return self._batch.snapshot()

    def restore(self, snapshot: bytes) -> None:
        self._batch.restore(snapshot)

    def __repr__(self) -> str:
        return repr(self._batch)

    def _bytes(self, rows: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the memory of observations; it is the caller's."""
        needed = (self.num_envs, *self.obs_shape)
        if rows.shape != needed or rows.dtype != self.obs_dtype or not rows.flags.c_contiguous:
            raise ValueError(f"observations are a C-contiguous {self.obs_dtype} of {needed}")
        return rows.reshape(-1).view(np.uint8).reshape(self._rows)

    def _numbers(self, actions: NDArray[Any]) -> NDArray[np.float64]:
        needed = (self.num_envs, *self.action_shape)
        if actions.shape != needed:
            raise ValueError(f"actions has shape {actions.shape}; pass an array of shape {needed}")
        return actions.astype(np.float64).reshape(self._actions)


def _row_of(space: gymnasium.Space[Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the dtype and shape in which a row of bytes holds an observation."""
    if isinstance(space, gymnasium.spaces.Dict):
        parts = [(name, *_row_of(part)) for name, part in space.spaces.items()]
        return np.dtype(parts), ()
    dtype = np.dtype(np.int64) if isinstance(space, gymnasium.spaces.Discrete) else space.dtype
    assert dtype is not None and space.shape is not None
    return np.dtype(dtype), space.shape
