"""Makes a verified translation faster without changing what it computes.

Round by round: profile, ask for one change, verify levels 1 to 3 again, race the candidate
against the incumbent, keep it only if it is faster beyond the noise. Level 4 is not verified
again: it would train anew after every change. The history says what every change brought.
"""

from envwright.translate.optimise.history import Change
from envwright.translate.optimise.loop import TIRED, Optimisation

__all__ = ["TIRED", "Change", "Optimisation"]
