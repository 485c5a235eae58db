"""Adapters to other libraries: Gymnasium, PettingZoo, gymnax, PureJaxRL, Brax, PufferLib.

    from envwright.adapters import LegacyGymnax, to_pettingzoo

    game = to_pettingzoo("pokemon")  # a ParallelEnv with masks

The names below are public. Every other name in `envwright.adapters` is private and may change.
Each is imported on first use, with the library that it adapts to.
"""

from typing import TYPE_CHECKING

from envwright.core.lazy import lazy

if TYPE_CHECKING:
    from envwright.adapters.brax import BraxEnv
    from envwright.adapters.gymnasium import GymnasiumEnv, GymnasiumVectorEnv
    from envwright.adapters.gymnax import LegacyGymnax
    from envwright.adapters.native_gymnasium import NativeGymnasiumVectorEnv
    from envwright.adapters.pettingzoo import PettingZooParallel, PettingZooTurns, to_pettingzoo
    from envwright.adapters.puffer import PufferVectorEnv

__all__ = [
    "BraxEnv",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "LegacyGymnax",
    "NativeGymnasiumVectorEnv",
    "PettingZooParallel",
    "PettingZooTurns",
    "PufferVectorEnv",
    "to_pettingzoo",
]

__getattr__ = lazy(
    __name__,
    {
        "brax": "BraxEnv",
        "gymnasium": "GymnasiumEnv GymnasiumVectorEnv",
        "gymnax": "LegacyGymnax",
        "native_gymnasium": "NativeGymnasiumVectorEnv",
        "pettingzoo": "PettingZooParallel PettingZooTurns to_pettingzoo",
        "puffer": "PufferVectorEnv",
    },
)
