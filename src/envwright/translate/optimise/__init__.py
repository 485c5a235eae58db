"""Make a verified translation faster without changing what it computes.

Each round profiles, asks for one change, verifies levels 1 to 3 again, races the candidate against
the incumbent, and keeps it only if it is faster beyond the noise. Level 4 is not verified again,
since it would train after every change. The history reports what every change brought.
"""

from envwright.schema.results import Round as Change
from envwright.translate.optimise.loop import TIRED, Optimisation

__all__ = ["TIRED", "Change", "Optimisation"]
