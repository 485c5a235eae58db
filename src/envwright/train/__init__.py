"""PPO for any environment: fused with a JAX one, around any other from the host."""

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
