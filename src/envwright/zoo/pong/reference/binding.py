"""PufferLib's C environments, called as its own Python class calls them.

pong = PufferPong(64)
pong.reset(seed=0)
pong.step(actions)          # pong.observations, .rewards, .terminals
pong.structs["ball_x"]      # float32[64]: a view into the C structs, to read and to write
"""

from __future__ import annotations

import ctypes
import importlib.util
import operator
import weakref
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.pong.reference.build import Build, library

SETTINGS = {  # the defaults of PufferLib's class
    "width": 500,
    "height": 640,
    "paddle_width": 20,
    "paddle_height": 70,
    "ball_width": 32,
    "ball_height": 32,
    "paddle_speed": 8,
    "ball_initial_speed_x": 10,
    "ball_initial_speed_y": 1,
    "ball_speed_y_increment": 3,
    "ball_max_speed_y": 13,
    "max_score": 21,
}
MOST_ENVS = 1 << 20
LONGEST_SKIP = 1000
SEEDS = 1 << 31  # a seed is a C int

_POINTER, _FLOAT, _COUNT, _INT = np.uintp, np.float32, np.uint32, np.int32

STRUCT = np.dtype(  # `struct Pong`, as the compiler lays it out
    [
        ("client", _POINTER),
        ("log", _FLOAT, (5,)),
        ("observations", _POINTER),
        ("actions", _POINTER),
        ("rewards", _POINTER),
        ("terminals", _POINTER),
        ("paddle_yl", _FLOAT),
        ("paddle_yr", _FLOAT),
        ("ball_x", _FLOAT),
        ("ball_y", _FLOAT),
        ("ball_vx", _FLOAT),
        ("ball_vy", _FLOAT),
        ("score_l", _COUNT),
        ("score_r", _COUNT),
        ("width", _FLOAT),
        ("height", _FLOAT),
        ("paddle_width", _FLOAT),
        ("paddle_height", _FLOAT),
        ("ball_width", _FLOAT),
        ("ball_height", _FLOAT),
        ("paddle_speed", _FLOAT),
        ("ball_initial_speed_x", _FLOAT),
        ("ball_initial_speed_y", _FLOAT),
        ("ball_max_speed_y", _FLOAT),
        ("ball_speed_y_increment", _FLOAT),
        ("max_score", _COUNT),
        ("min_paddle_y", _FLOAT),
        ("max_paddle_y", _FLOAT),
        ("paddle_dir", _FLOAT),
        ("tick", _INT),
        ("n_bounces", _INT),
        ("win", _INT),
        ("frameskip", _INT),
        ("continuous", _INT),
    ],
    align=True,
)


class PufferPong:
    """N games in C. All draw from the C library's single stream, in the order of the games.

    The arrays are the buffers that C reads and writes: copy what you keep.
    """

    def __init__(
        self,
        num_envs: int = 1,
        frame_skip: int = 1,
        continuous: bool = False,
        build: Build = "plain",
    ) -> None:
        self.num_envs = _whole("num_envs", num_envs, MOST_ENVS)
        self.frame_skip = _whole("frame_skip", frame_skip, LONGEST_SKIP)
        if not isinstance(continuous, bool):
            raise EnvwrightError(f"continuous is true or false, not {continuous!r}")
        self.continuous = continuous
        self.observations = np.zeros((num_envs, 8), np.float32)
        self.actions = np.zeros(num_envs, np.float32)
        self.rewards = np.zeros(num_envs, np.float32)
        self.terminals = np.zeros(num_envs, bool)
        self.truncations = np.zeros(num_envs, bool)
        self.binding = load(build)
        self.handle: int = self.binding.vec_init(
            self.observations,
            self.actions,
            self.rewards,
            self.terminals,
            self.truncations,
            self.num_envs,
            0,
            **SETTINGS,
            frameskip=self.frame_skip,
            continuous=int(continuous),
        )
        self._pointers = _pointers(self.handle, self.num_envs)
        self._structs: np.ndarray | None = None
        # C frees the structs that it allocated, wherever its pointers point by then.
        self._free = weakref.finalize(
            self, _free, self.binding, self.handle, self._pointers, self._pointers.copy()
        )

    @property
    def single_observation_space(self) -> gymnasium.spaces.Box:
        """The space of an observation, float32[8]."""
        return gymnasium.spaces.Box(0, 1, (8,), np.float32)

    @property
    def single_action_space(self) -> gymnasium.Space:
        """The space as PufferLib declares it: a Box without a shape has the shape (1,)."""
        if self.continuous:
            return gymnasium.spaces.Box(low=-1, high=1, dtype=np.float32)
        return gymnasium.spaces.Discrete(3)

    @property
    def structs(self) -> np.ndarray:
        """The C structs themselves, STRUCT[N].

        At the first use they are moved next to each other, so that all are one array.
        """
        self._require_open()
        if self._structs is None:
            self._structs = self._gathered()
        return self._structs

    def reset(self, seed: int = 0) -> np.ndarray:
        """Start every game; game i is served by the first draw after `srand(i + seed * N)`."""
        self._require_open()
        seed = operator.index(seed)
        if not 0 <= seed * self.num_envs + self.num_envs - 1 < SEEDS:
            raise EnvwrightError(
                f"seed {seed} is out of range; {self.num_envs} environments take seeds from 0 to "
                f"{(SEEDS - self.num_envs) // self.num_envs}"
            )
        self.binding.vec_reset(self.handle, seed)
        return self.observations

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Step every game: observations, rewards, terminals, truncations."""
        self._require_open()
        given = np.asarray(actions, np.float32).reshape(-1)
        if given.shape != self.actions.shape:
            raise EnvwrightError(f"{len(given)} actions were given for {self.num_envs} games")
        if self.continuous:
            given = np.clip(given, -1.0, 1.0)
        self.actions[:] = given
        self.binding.vec_step(self.handle)
        return self.observations, self.rewards, self.terminals, self.truncations

    def log(self) -> dict[str, float]:
        """Return means over the games that ended since the last call; empty if none did."""
        self._require_open()
        return self.binding.vec_log(self.handle)

    def close(self) -> None:
        """Free the C structs; a second call does nothing."""
        self._structs = None
        self._free()

    def _require_open(self) -> None:
        if not self._free.alive:
            raise EnvwrightError("these games were closed; make new ones")

    def _gathered(self) -> np.ndarray:
        table = np.zeros(self.num_envs, STRUCT)
        size = STRUCT.itemsize
        for lane, address in enumerate(self._pointers.tolist()):
            ctypes.memmove(table.ctypes.data + lane * size, address, size)
        known = {**SETTINGS, "frameskip": self.frame_skip, "continuous": self.continuous}
        if not all((table[name] == value).all() for name, value in known.items()):
            raise EnvwrightError("the C structs are not laid out as PufferLib 3.0.0 has them")
        self._pointers[:] = table.ctypes.data + size * np.arange(self.num_envs, dtype=np.uintp)
        return table


def load(build: Build = "plain") -> ModuleType:
    """Load the compiled module, which C knows as `binding`; a removed one is not reused."""
    return _loaded(library(build), build)


@cache
def _loaded(path: Path, build: Build) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"pong_{build}.binding", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _pointers(handle: int, count: int) -> np.ndarray:
    """Return a view of the table of addresses in `VecEnv { Env** envs; int num_envs; }`."""
    table = ctypes.c_void_p.from_address(handle).value
    assert table is not None
    return np.ctypeslib.as_array((ctypes.c_size_t * count).from_address(table))


def _free(binding: ModuleType, handle: int, pointers: np.ndarray, own: np.ndarray) -> None:
    pointers[:] = own
    binding.vec_close(handle)


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise EnvwrightError(f"{name} is a whole number, not {value!r}")
    if not 1 <= value <= most:
        raise EnvwrightError(f"{name} is {value}; choose one from 1 to {most}")
    return int(value)
