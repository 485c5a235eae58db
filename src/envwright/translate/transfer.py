"""Level 4 of a translation, entirely in a jail because training runs inside the twin.

Judge and code share a process here, so the verdict is weaker than the others against code that sets
out to deceive. By then, levels 1 to 3 have passed from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.sandbox import Limits, tree
from envwright.translate.deadline import Deadline
from envwright.translate.jailed import Twin
from envwright.translate.judge import ONLY_ITS_OWN
from envwright.translate.spec import TranslationSpec
from envwright.translate.verdict import Failure, Verdict

LIMITS = Limits(seconds=3 * 3600, memory_mb=8192, processes=512)
TEST = "policies fare alike"
RESULT = "transfer.json"
LARGEST = 10_000_000  # bytes of a result


def judge_transfer(
    spec: TranslationSpec,
    twin: Twin,
    policies: Path,
    say: Callable[[str], None],
    deadline: Deadline = Deadline(),
) -> Verdict:
    """Train on both sides and evaluate on both, with the specification's margin.

    Policies trained before the deadline stay in `policies` and are not trained again.
    """
    deadline.check()
    assert spec.transfer is not None
    verdict = Verdict(4)
    found = twin.forbidden()
    if found:
        detail = "\n".join(found)
        verdict.add(ONLY_ITS_OWN, Failure(ONLY_ITS_OWN, "", found[0], detail))
        return verdict
    check = spec.everyday_check
    try:
        name = twin.trained_as(check)
    except EnvwrightError as error:  # it does not compile
        module, detail = getattr(error, "module", ""), getattr(error, "detail", "")
        verdict.add(TEST, Failure(TEST, module, str(error), detail))
        return verdict
    tree.reused(policies)
    tree.unlink(policies, RESULT)
    asked = {
        "spec": str(spec.path),
        "reference": check.reference or spec.reference.simulator,
        "twin": name,
        "policies": str(policies),
        "result": str(policies / RESULT),
    }
    limits = replace(LIMITS, seconds=min(LIMITS.seconds, max(1.0, deadline.left)))
    say("  level 4 trains policies on both sides; that takes minutes")
    done = twin.run(
        [sys.executable, "-m", "envwright.translate.transfer_child", json.dumps(asked)],
        limits,
        (policies,),
        (spec.folder,),
    )
    if done.stopped == "time":
        deadline.check()
    try:
        # Pass a readable name to the program.
        called, known = (json.dumps(text)[1:-1] for text in (name, twin.entry(check)))
        told = json.loads(_written(policies).replace(called, known))
        notes, table = [str(note) for note in told["notes"]], str(told["table"])
        outcome, summary = told["verdict"], f"{told['verdict']}: {told['summary']}"
    except (tree.Unusable, ValueError, LookupError, TypeError, RecursionError):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        why = limits.why(done.stopped) or f"ended with {done.code}: {last}"
        summary = f"level 4 could not be run: {why}"
        verdict.add(TEST, Failure(TEST, "", summary, done.stderr[-4000:]))
    else:
        verdict.notes += notes
        if outcome == "inconclusive":
            verdict.undecided = table
        else:
            equal = outcome == "equal"
            verdict.add(TEST, None if equal else Failure(TEST, "", summary, table))
    return verdict


def _written(policies: Path) -> str:
    """Read the result, in whose place the jail may have put anything."""
    return tree.read(policies, RESULT, LARGEST).decode()
