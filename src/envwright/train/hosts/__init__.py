"""Environments that are not JAX, as lanes for the host loop."""

from envwright.train.hosts.gymnasium_lanes import GymnasiumLanes
from envwright.train.hosts.lanes import HostLanes, HostStep, HostView, players_of
from envwright.train.hosts.native_lanes import NativeLanes

__all__ = ["GymnasiumLanes", "HostLanes", "HostStep", "HostView", "NativeLanes", "players_of"]
