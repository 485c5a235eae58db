"""PPO for any environment: fused with a JAX one, around any other from the host.

from envwright.train import Keeping, PPOConfig, RunSpec, train

result = train(RunSpec("envwright:cartpole", PPOConfig(steps=200_000), seeds=(0, 1, 2)))
print(result.returns)
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Keeping": "run",
    "PPOConfig": "config",
    "Policies": "policy",
    "RunSpec": "run",
    "TrainResult": "run",
    "configure": "config",
    "load_policies": "policy",
    "train": "run",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Late: who reads a configuration needs no flax, optax or orbax."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
