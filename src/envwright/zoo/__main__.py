"""`python -m envwright.zoo`: fetch and build the references that are not packages."""

import sys

from envwright.core.registry import rooms
from envwright.zoo.set_up import set_up_reference

if __name__ == "__main__":
    codes = [
        set_up_reference(room.attribute(room.fetch), room.title) for room in rooms() if room.fetch
    ]
    sys.exit(max(codes, default=0))
