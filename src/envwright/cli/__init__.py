"""The command line: one command per verb, no logic of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from envwright.cli.surroundings import open_streams, why_nowhere
from envwright.errors import Exit

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code: 0 equal, 1 different, 2 bad input, 130 Ctrl-C."""
    open_streams()
    if problem := why_nowhere():
        print(f"envwright: {problem}", file=sys.stderr)
        sys.exit(Exit.BAD_INPUT)
    try:
        # Some libraries ask for the current folder when they are imported.
        from envwright.cli.app import main as run
    except KeyboardInterrupt:
        print("envwright: interrupted; nothing was half-written", file=sys.stderr)
        sys.exit(Exit.INTERRUPTED)
    run(arguments)
