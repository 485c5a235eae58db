"""Sets the reference up: `python -m envwright.zoo.pokemon.reference`."""

from __future__ import annotations

import sys

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.reference.install import set_up


def main() -> int:
    """Install, or one sentence that says why not."""
    try:
        set_up(say=print)
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("the reference of Pokemon battles is ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
