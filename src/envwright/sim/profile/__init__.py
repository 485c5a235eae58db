"""Where the time of a step of a JAX environment goes, for whoever wants to make it faster."""

from envwright.sim.profile.measure import profile

__all__ = ["profile"]
