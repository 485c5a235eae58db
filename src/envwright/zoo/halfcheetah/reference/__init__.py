"""The reference: Gymnasium's HalfCheetah-v5 on MuJoCo, as installed from their packages."""

from envwright.zoo.halfcheetah.reference.simulator import CheetahReference

__all__ = ["CheetahReference"]
