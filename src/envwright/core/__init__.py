"""Write an environment, wrap it, and run it.

    from envwright.core import Box, Discrete, Env, pytree_dataclass
    from envwright.core import AutoReset, EpisodeStatistics, TimeLimit

    class MyGame(Env): ...  # see docs/env-protocol.md

    env = EpisodeStatistics(AutoReset(TimeLimit(MyGame(), 200), "compact"))

The names below are public. Every other name in `envwright.core` is private and may change.
Each is imported on first use: this package itself imports no JAX.
"""

from typing import TYPE_CHECKING

from envwright.core.lazy import lazy

if TYPE_CHECKING:
    from envwright.core.bridge import Bridge, Columns, Fields, SameNames
    from envwright.core.check import check_env
    from envwright.core.env import Env, Step
    from envwright.core.exact import exact_div, rounded, scalar_power
    from envwright.core.executor import Executor, make_executor
    from envwright.core.native import NativeStep, NativeVectorEnv, available_cores
    from envwright.core.pytree import pytree_dataclass, updated
    from envwright.core.room import Findings, Handler, Option, Room
    from envwright.core.spaces import (
        Box,
        Dict,
        Discrete,
        DiscreteTuple,
        MultiDiscrete,
        Space,
    )
    from envwright.core.wrappers import AutoReset, EpisodeStatistics, TimeLimit, Wrapper

__all__ = [
    "AutoReset",
    "Box",
    "Bridge",
    "Columns",
    "Dict",
    "Discrete",
    "DiscreteTuple",
    "Env",
    "EpisodeStatistics",
    "Executor",
    "Fields",
    "Findings",
    "Handler",
    "MultiDiscrete",
    "NativeStep",
    "NativeVectorEnv",
    "Option",
    "Room",
    "SameNames",
    "Space",
    "Step",
    "TimeLimit",
    "Wrapper",
    "available_cores",
    "check_env",
    "exact_div",
    "make_executor",
    "pytree_dataclass",
    "rounded",
    "scalar_power",
    "updated",
]

__getattr__ = lazy(
    __name__,
    {
        "bridge": "Bridge Columns Fields SameNames",
        "check": "check_env",
        "env": "Env Step",
        "exact": "exact_div rounded scalar_power",
        "executor": "Executor make_executor",
        "native": "NativeStep NativeVectorEnv available_cores",
        "pytree": "pytree_dataclass updated",
        "room": "Findings Handler Option Room",
        "spaces": "Box Dict Discrete DiscreteTuple MultiDiscrete Space",
        "wrappers": "AutoReset EpisodeStatistics TimeLimit Wrapper",
    },
)
