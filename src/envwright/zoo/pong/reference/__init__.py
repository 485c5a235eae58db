"""The reference: PufferLib's own Pong in C, fetched as a source package and compiled here.

    python -m envwright.zoo.pong.reference     # once: fetches 60 MB, keeps 3 MB, compiles

Nothing of it is part of this project. Without it the recorded traces speak for it.
"""

from envwright.zoo.pong.reference.binding import PufferPong
from envwright.zoo.pong.reference.build import FLAGS, library, set_up, why_not
from envwright.zoo.pong.reference.puffer_lanes import PongReferenceLanes
from envwright.zoo.pong.reference.simulator import PongReference

__all__ = [
    "FLAGS",
    "PongReference",
    "PongReferenceLanes",
    "PufferPong",
    "library",
    "set_up",
    "why_not",
]
