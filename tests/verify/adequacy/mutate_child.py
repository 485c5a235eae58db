"""`envwright mutate` in a process of its own, with little effort, which can be told where to die.

    python -m tests.verify.adequacy.mutate_child EXECUTOR FILE [WHEN N]

It dies at the N-th line of the code that writes what is known so far (`line`), or `before` or
`after` the N-th time that it enters a verdict.
"""

from __future__ import annotations

import sys
from typing import Any

from tests.train.child import count_lines, kill_at

from envwright.cli import adequacy, main
from envwright.cli.stored import Store
from envwright.verify.adequacy import mutate
from envwright.verify.run import Effort

KEEPERS = ("core/files.py", "cli/adequacy.py", "cli/stored.py", "schema/results/base.py")
LITTLE = Effort(episodes=3, visited=3, fuzzed=20, boundary=10, starts=200, examples=2)


ENTERING = "envwright.verify.adequacy.mutate:_enter"


def run(executor: str, file: str, when: str = "", n: str = "0") -> None:
    whole = mutate.mutate_room
    tracer = count_lines(int(n), KEEPERS) if when == "line" else None

    class Watched(adequacy._IntervalStore):
        def __init__(self, store: Store) -> None:
            super().__init__(store, pause=0.0)

        def save(self) -> None:
            sys.settrace(tracer)
            super().save()
            sys.settrace(None)

    def quick(*args: Any, **options: Any) -> Any:
        return whole(*args, **{**options, "effort": LITTLE})

    mutate.mutate_room = quick  # type: ignore[assignment]
    adequacy._IntervalStore = Watched  # type: ignore[misc]
    if when in ("before", "after"):
        kill_at(ENTERING, when, int(n))
    options = ("--most", "4", "--until-noticed", "--executor", executor, "--json", file)
    main(["mutate", "cartpole", *options])


if __name__ == "__main__":
    run(*sys.argv[1:])
