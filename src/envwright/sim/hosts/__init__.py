"""Environments that are not JAX, as lanes for the host loop."""

from envwright.sim.hosts.gymnasium_lanes import GymnasiumLanes
from envwright.sim.hosts.native_lanes import NativeLanes
from envwright.sim.hosts.protocol import HostLanes, HostStep, HostView, players_of

__all__ = ["GymnasiumLanes", "HostLanes", "HostStep", "HostView", "NativeLanes", "players_of"]
