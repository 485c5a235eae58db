"""`envwright translate` in a process of its own, which dies where it is told to.

    python -m tests.translate.replay_child WHEN N ARGUMENTS…

It dies at the N-th line that it writes into a journal: `before` it, in the middle of it (`torn`),
`after` it, or so many lines of the code that keeps a run later (a number).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from tests.train.child import count_lines
from tests.translate.optimise_child import KEEPERS

from envwright.translate.journal import Journal

WHENS = ("before", "torn", "after", "1", "5", "9")


def die() -> None:
    """End as a power failure would."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying(when: str, n: int, die: Callable[[], None] = die) -> Callable[..., Any]:
    """Return a `Journal.append` that dies at its n-th call."""
    append, calls = Journal.append, 0

    def fatal(self: Journal, kind: str, **data: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == n and when == "before":
            die()
        begins = self._end
        event = append(self, kind, **data)
        if calls == n and when == "torn":
            with open(self.path, "ab") as file:
                file.truncate((begins + self._end) // 2)
        if calls == n and when.isdecimal():
            sys.settrace(count_lines(int(when), KEEPERS))
        elif calls == n:
            die()
        return event

    return fatal


def main(when: str, n: str, *arguments: str) -> None:
    from envwright.cli import main

    Journal.append = dying(when, int(n))  # type: ignore[method-assign]
    main(list(arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
