"""Sets the reference up: `python -m envwright.zoo.pokemon.reference`."""

from __future__ import annotations

import sys

from envwright.zoo.pokemon.reference.install import set_up
from envwright.zoo.set_up import set_up_reference

if __name__ == "__main__":
    sys.exit(set_up_reference(set_up, "Pokemon battles"))
