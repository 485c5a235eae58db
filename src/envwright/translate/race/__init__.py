"""Race two versions of the code: which is faster, and did they really compute it?

Each runs in its own jail; the clock is outside. They alternate, and ratios are formed within a
repeat. The candidate's timed runs are checked:

    starts      their law, and that of the starts after every end
    loop        against the same steps one by one
    last step   against the reference
"""

from envwright.translate.race.clock import BATCHES, REPEATS, speeds
from envwright.translate.race.contest import contest
from envwright.translate.race.result import Contest

__all__ = ["BATCHES", "REPEATS", "Contest", "contest", "speeds"]
