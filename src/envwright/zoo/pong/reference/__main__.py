"""Sets the reference up: `python -m envwright.zoo.pong.reference`."""

from __future__ import annotations

import sys

from envwright.zoo.pong.reference.build import set_up
from envwright.zoo.set_up import set_up_reference

if __name__ == "__main__":
    sys.exit(set_up_reference(set_up, "Pong"))
