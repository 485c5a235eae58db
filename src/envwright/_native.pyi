"""The Rust environments. `envwright.core.native` wraps them; few people call them directly."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__version__: str

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
    def fields(self) -> dict[str, tuple[str, tuple[int, ...]]]: ...
    def reset(self, seeds: NDArray[np.uint64], obs: NDArray[Any]) -> None: ...
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
