"""PPO for any environment: fused with a JAX one, from the host around any other.

    from envwright.train import Keeping, PPOConfig, RunSpec, train

    result = train(RunSpec("envwright:cartpole", PPOConfig(steps=200_000), seeds=(0, 1, 2)))
    print(result.returns)

The names below are public. Every other name in `envwright.train` is private and may change.
Each is imported on first use: reading a configuration needs no flax, optax or orbax.
"""

from typing import TYPE_CHECKING

from envwright.core.lazy import lazy

if TYPE_CHECKING:
    from envwright.train.config import PPOConfig, configure
    from envwright.train.policy import Policies, load_policies
    from envwright.train.run import Keeping, RunSpec, TrainResult, train

__all__ = [
    "Keeping",
    "PPOConfig",
    "Policies",
    "RunSpec",
    "TrainResult",
    "configure",
    "load_policies",
    "train",
]

__getattr__ = lazy(
    __name__,
    {
        "config": "PPOConfig configure",
        "policy": "Policies load_policies",
        "run": "Keeping RunSpec TrainResult train",
    },
)
