"""An optimisation in a process of its own, which can be told where to die.

    python -m tests.translate.optimise_child FOLDER [N]

It dies at the N-th line of the code that keeps an optimisation. What a race would decide, the
text of a change decides: races of two processes do not come out alike.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.train.child import count_lines
from tests.translate.answers import ENV, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.translate.optimise import Optimisation
from envwright.translate.optimise.trial import Trial
from envwright.translate.stored_runs import open_run

KEEPERS = (
    "translate/journal.py",
    "translate/workspace.py",
    "translate/optimise/loop.py",
    "translate/optimise/history.py",
    "core/files.py",
    "tests/translate/scripted.py",
)
SCRIPT = [
    turn(env=f"{ENV}\n# {word}\n") for word in ("kept once", "slower", "kept twice", "as before")
]


def main(folder: str, moment: str = "") -> None:
    Optimisation._prompt = lambda self, old: "faster, please"  # type: ignore[method-assign]
    Optimisation._tried = _tried  # type: ignore[method-assign]
    work = Optimisation(
        open_run(Path(folder)),
        Scripted(SCRIPT),
        confined=REASON is None,
        rounds=len(SCRIPT),
        tired=len(SCRIPT),
    )
    if moment:
        sys.settrace(count_lines(int(moment), KEEPERS))
    work.go()


def _tried(self: Optimisation, old: Any, workspace: Any, changed: dict[str, Any]) -> Trial:
    text = (workspace.root / "src/fast_lamp/env.py").read_text()
    kept = "# kept" in text and bool(changed)
    return Trial(kept, "faster" if kept else "slower")


if __name__ == "__main__":
    main(*sys.argv[1:])
