"""Profile a step of a JAX environment: where its time goes."""

from envwright.sim.profile.measure import profile

__all__ = ["profile"]
