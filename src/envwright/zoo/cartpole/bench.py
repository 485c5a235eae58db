"""CartPole beside Gymnasium's two implementations and gymnax's."""

from envwright.bench.fused import FusedRoom
from envwright.bench.peers import GymnasiumLoop, GymnasiumVector, GymnaxScan
from envwright.bench.ppo import FusedPPO, GymnaxPPO, HostPPO, VectorPPO
from envwright.core.spaces import Discrete

_PUSHES = Discrete(2)

IMPLEMENTATIONS = (
    GymnasiumLoop("CartPole-v1", _PUSHES),
    FusedRoom("cartpole"),
    GymnaxScan("CartPole-v1", _PUSHES),
    GymnasiumVector("CartPole-v1", _PUSHES),
    HostPPO("CartPole-v1"),
    FusedPPO("cartpole"),
    GymnaxPPO("CartPole-v1"),
    VectorPPO("CartPole-v1"),
)
