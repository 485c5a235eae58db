"""Fast RL environments, with evidence that they equal their references.

    import envwright

    env = envwright.make("cartpole")  # a JAX environment: envwright.core.Env
    env = envwright.make("pong", backend="rust", num_envs=4096)  # a batch: NativeVectorEnv

`envwright`, `envwright.core` (write and wrap environments), `envwright.testing` (assert that two
are the same), `envwright.train` (PPO) and the classes of `envwright.adapters` are public; each
package lists its names in `__all__`. Everything else is private and may change.
Importing `envwright` imports neither JAX nor any environment.
"""

from envwright.adapters.registration import register_with_gymnasium as _register_with_gymnasium
from envwright.core.package import VERSION as __version__
from envwright.core.registry import find, make, register, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.zoo import ROOMS as _ROOMS  # registers them, imports no environment

_register_with_gymnasium(_ROOMS)

__all__ = ["EnvwrightError", "Room", "__version__", "find", "make", "register", "rooms"]
