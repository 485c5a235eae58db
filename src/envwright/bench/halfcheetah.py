"""HalfCheetah in Rust and JAX beside MuJoCo's own loop and Gymnasium's environment."""

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Role
from envwright.bench.mujoco import MujocoRollout
from envwright.bench.native import NativeLoop
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.ppo import FusedPPO, NativePPO
from envwright.core.spaces import Box

_TORQUES = Box(-1.0, 1.0, (6,))

IMPLEMENTATIONS = (
    MujocoRollout("HalfCheetah-v5", _TORQUES),
    NativeLoop("halfcheetah"),
    FusedRoom("halfcheetah"),
    NativeLoop("halfcheetah", cores=1),
    MujocoRollout("HalfCheetah-v5", _TORQUES, cores=1),
    GymnasiumLoop("HalfCheetah-v5", _TORQUES, role=Role.PEER),
    NativePPO("halfcheetah"),
    FusedPPO("halfcheetah"),
)
