"""envwright: fast RL environments, with evidence that they are the same.

Importing this package imports neither JAX nor any environment.
"""

from envwright import zoo as _zoo  # noqa: F401  registers the rooms, imports none of them
from envwright.adapters.registration import register_with_gymnasium as _register_with_gymnasium
from envwright.core.package import VERSION as __version__
from envwright.core.registry import find, make, register, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError

_register_with_gymnasium()

__all__ = ["EnvwrightError", "Room", "__version__", "find", "make", "register", "rooms"]
