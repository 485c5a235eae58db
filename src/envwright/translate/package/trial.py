"""Try a drafted package in a process that sees nothing of the translation but the package."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from envwright.core.package import FOLDER
from envwright.errors import EnvwrightError
from envwright.sandbox import Jail, Limits, python_runtime, run
from envwright.translate.spec import TranslationSpec

CHILD = "envwright.translate.package.trial_child"
LIMITS = Limits(seconds=900, memory_mb=6144, processes=512)


def try_package(
    spec: TranslationSpec,
    draft: Path,
    recorded: str | None,
    pairs: Sequence[tuple[str, str]],
    confined: bool,
) -> None:
    """Raise unless the package opens, and gives the reference's recorded answers.

    `recorded` is the label of the check of the recorded steps, `pairs` are golden functions with
    their modules.
    """
    jail = Jail(
        readable=(*python_runtime(), draft),
        env={
            "PYTHONPATH": str(FOLDER.parent),
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "JAX_PLATFORMS": "cpu",
        },
        limits=LIMITS,
        confined=confined,
    )
    asked = json.dumps({"recorded": recorded, "pairs": list(pairs)})
    done = run([sys.executable, "-m", CHILD, str(draft), asked], jail, cwd=draft)
    if done.code == 0 and not done.stopped:
        return
    last = (done.stderr.strip().splitlines() or [f"it ended with {done.code}"])[-1]
    reason = LIMITS.why(done.stopped) or last.replace(f"{draft}/", "")
    raise EnvwrightError(
        f"the package of {spec.path} does not work by itself: {reason}; correct that, then run "
        f"envwright export {spec.folder}"
    )
