"""HalfCheetah in Rust and JAX beside MuJoCo's own loop, Gymnasium's environment, MJX and Brax."""

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Role
from envwright.bench.native import NativeLoop
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.ppo import FusedPPO, NativePPO
from envwright.core.spaces import Box
from envwright.zoo.halfcheetah.bench.jax_peers import JaxPeer
from envwright.zoo.halfcheetah.bench.mujoco import MujocoRollout

_TORQUES = Box(-1.0, 1.0, (6,))

IMPLEMENTATIONS = (
    MujocoRollout("HalfCheetah-v5", _TORQUES),
    NativeLoop("halfcheetah"),
    FusedRoom("halfcheetah"),
    NativeLoop("halfcheetah", cores=1),
    MujocoRollout("HalfCheetah-v5", _TORQUES, cores=1),
    GymnasiumLoop("HalfCheetah-v5", _TORQUES, role=Role.PEER),
    JaxPeer("mjx", "mujoco.mjx"),
    JaxPeer("brax", "brax"),
    NativePPO("halfcheetah"),
    FusedPPO("halfcheetah"),
)
