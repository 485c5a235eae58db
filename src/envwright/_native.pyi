"""The Rust environments. `envwright.core.native` wraps them; few people call them directly."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__version__: str

def runtime_sources() -> dict[str, str]:
    """Return the workspace's tables and the runtime's sources by path, as they were compiled."""
    ...

class _VecEnv:
    """What all of them do; see `envwright.core.native.NativeEnv`."""

    @property
    def num_envs(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def identity(self) -> str: ...
    @property
    def obs_shape(self) -> tuple[int, ...]: ...
    @property
    def obs_dtype(self) -> str: ...
    @property
    def action_shape(self) -> tuple[int, ...]: ...
    @property
    def action_dtype(self) -> str: ...
    @property
    def reward_dtype(self) -> str: ...
    @property
    def players(self) -> int: ...
    @property
    def legal(self) -> NDArray[np.bool_] | None: ...
    @property
    def fields(self) -> dict[str, tuple[str, tuple[int, ...]]]: ...
    def reset(self, seeds: NDArray[np.uint64], obs: NDArray[Any]) -> None: ...
    def restart(self, obs: NDArray[Any]) -> None: ...
    def step(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        final_obs: NDArray[Any],
    ) -> None: ...
    def step_raw(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None: ...
    def observe(self, obs: NDArray[Any]) -> None: ...
    def state_fields(self) -> dict[str, NDArray[Any]]: ...
    def load(self, index: int, fields: dict[str, Any]) -> None: ...
    def load_all(self, fields: dict[str, Any]) -> None: ...
    def snapshot(self) -> bytes: ...
    def restore(self, snapshot: bytes) -> None: ...

@final
class CounterVecEnv(_VecEnv):
    """A walk on a line: the smallest native environment, for tests and as an example.

    Observation float32[2]: position and time, as shares of `bound` and `max_steps`.
    Action int32: 0 left, 1 stay, 2 right.
    """

    def __new__(
        cls, num_envs: int, threads: int = 1, bound: int = 10, max_steps: int = 200
    ) -> CounterVecEnv: ...

@final
class PongVecEnv(_VecEnv):
    """Puffer Pong. Observation float32[8]; action int32: 0 stays, 1 goes up, 2 goes down."""

    def __new__(cls, num_envs: int, threads: int = 1, frame_skip: int = 1) -> PongVecEnv: ...

@final
class ContinuousPongVecEnv(_VecEnv):
    """Puffer Pong. Observation float32[8]; action float32[1]: a direction from -1 to 1."""

    def __new__(
        cls, num_envs: int, threads: int = 1, frame_skip: int = 1
    ) -> ContinuousPongVecEnv: ...

@final
class HalfCheetahVecEnv(_VecEnv):
    """HalfCheetah in float32. `robot` is what `Robot.to_json()` returns.

    Observation float32[17]: positions without x, then velocities (float32[18] with x). Action
    float32[6]: controls, which are cut to the motors' ranges but cost what they are.
    """

    def __new__(
        cls,
        num_envs: int,
        threads: int = 1,
        robot: str = "",
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        exclude_current_positions_from_observation: bool = True,
        frame_skip: int = 5,
        max_steps: int = 1000,
    ) -> HalfCheetahVecEnv: ...

@final
class HalfCheetahF64VecEnv(_VecEnv):
    """HalfCheetah in float64. `robot` is what `Robot.to_json()` returns.

    Observation float64[17]: positions without x, then velocities (float64[18] with x). Action
    float32[6]: controls, which are cut to the motors' ranges but cost what they are.
    """

    def __new__(
        cls,
        num_envs: int,
        threads: int = 1,
        robot: str = "",
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        exclude_current_positions_from_observation: bool = True,
        frame_skip: int = 5,
        max_steps: int = 1000,
    ) -> HalfCheetahF64VecEnv: ...

@final
class GameBoyVecEnv(_VecEnv):
    """A game on Game Boys; `settings` are those that `zoo.gameboy.native.arguments` makes."""

    def __new__(
        cls,
        num_envs: int,
        threads: int,
        rom: bytes,
        *,
        boot: bytes | None = None,
        **settings: Any,
    ) -> GameBoyVecEnv: ...

@final
class GameBoys:
    """Many Game Boys with the same cartridge, each equal to PyBoy 2.8.1 frame by frame."""

    def __new__(
        cls,
        rom: bytes,
        count: int = 1,
        threads: int = 1,
        cgb: bool | None = None,
        boot: bytes | None = None,
    ) -> GameBoys: ...
    @property
    def count(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def cgb(self) -> bool: ...
    @property
    def title(self) -> str: ...
    def hold(self, buttons: NDArray[np.uint8]) -> None:
        """Bits 0 to 7: right, left, up, down, A, B, select, start; held from the next frame on."""

    def tick(self, frames: int, render: bool = True) -> None:
        """Runs frames, of which only the last is rendered."""

    def screens(self, out: NDArray[np.uint8], kind: str) -> None:
        """'rgb' [count, 144, 160, 3]; 'gray', 'index' [count, 144, 160]; 'small' [count, 72, 80].

        Gray is (77 red + 150 green + 29 blue + 128) // 256; small is gray[::2, ::2]; index is a
        DMG's shade, 0 the lightest, after palettes.
        """

    def peek(self, index: int, address: int, length: int = 1) -> bytes: ...
    def poke(self, index: int, address: int, data: bytes) -> None: ...
    def peek_all(self, addresses: NDArray[np.uint16], out: NDArray[np.uint8]) -> None: ...
    def cycles(self) -> NDArray[np.uint64]: ...
    def frames(self) -> NDArray[np.uint64]: ...
    def registers(self, index: int) -> dict[str, int]: ...
    def memory(self, index: int) -> dict[str, bytes]: ...
    def save_state(self, index: int) -> bytes:
        """A state as PyBoy 2.8.1 saves it (version 29)."""

    def load_state(self, index: int, state: bytes) -> None: ...
    def snapshot(self, index: int) -> bytes:
        """Everything, also what PyBoy's state leaves out."""

    def restore(self, index: int, snapshot: bytes) -> None: ...
    def fault(self, index: int) -> str | None:
        """Why this emulator stands still, if it does."""

@final
class PokemonBattles:
    """Many Pokemon battles; `envwright.zoo.pokemon.native` wraps them.

    A Pokemon as it is brought is int16[17]: species, ability, item, four moves, level, gender,
    nature, tera type, and for six stats the individual value plus a quarter of the effort.
    """

    def __new__(cls, count: int, threads: int = 1) -> PokemonBattles: ...
    @property
    def count(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @staticmethod
    def names(list: str) -> list[str]: ...
    @staticmethod
    def tables() -> dict[str, Any]:
        """Columns int32 by name (`moves.power`), and the names of flags."""

    @staticmethod
    def supported() -> list[str]: ...
    @staticmethod
    def played(kind: str) -> list[str]:
        """All "moves", "abilities" or "items" that a set may have."""

    @staticmethod
    def count_fired(on: bool) -> None: ...
    @staticmethod
    def fired() -> dict[str, int]: ...
    @staticmethod
    def fields() -> dict[str, tuple[int, ...]]: ...
    def reset(
        self,
        seeds: NDArray[np.uint16],
        sets: NDArray[np.int16],
        which: NDArray[np.bool_] | None = None,
        unsupported: bool = False,
    ) -> None: ...
    def load_teams(self, sets: NDArray[np.int16], seed: int, fixed: bool = False) -> None: ...
    def restart(self, seeds: NDArray[np.uint64] | None = None) -> None: ...
    def observe(self, out: NDArray[np.float32], view: str = "own") -> None:
        """Views of both players [count, 2, 422], or of the first [count, 1, 422]."""

    def masks(self, out: NDArray[np.bool_]) -> None: ...
    def step(
        self,
        actions: NDArray[np.int32],
        masks: NDArray[np.bool_],
        rewards: NDArray[np.float32],
        ended: NDArray[np.bool_],
        again: bool = False,
        obs: NDArray[np.float32] | None = None,
        final_obs: NDArray[np.float32] | None = None,
        view: str = "own",
    ) -> None: ...
    def sample(self, out: NDArray[np.int32], seed: int) -> None: ...
    def numbers(self) -> NDArray[np.int32]: ...
    def snapshot(self, identity: str = "pokemon battles", note: bytes = b"") -> bytes:
        """All battles, a note of the caller's, and a checksum over both."""

    def restore(
        self, snapshot: bytes, identity: str = "pokemon battles", note_size: int = 0
    ) -> bytes:
        """Go on from a snapshot of the same identity; returns its note."""
