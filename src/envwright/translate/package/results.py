"""The stored results of a package: what its run verified, and how fast it is.

The package runs in jails. What it prints there is parsed as a result, and used for nothing else.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from envwright.bench.machine import describe_machine
from envwright.core.files import write_json
from envwright.core.outside_rooms import EVIDENCE
from envwright.core.package import FOLDER
from envwright.errors import SchemaError
from envwright.sandbox import Jail, Limits, python_runtime, run
from envwright.schema.provenance import Sources
from envwright.schema.results import Bench, Level, Verification, as_json, parse_result
from envwright.translate.apart import reference_places
from envwright.translate.spec import TranslationSpec
from envwright.translate.verdict import Verdict
from envwright.verify.stats import clean_bound

VERIFY, BENCH = f"{EVIDENCE}/verify.json", f"{EVIDENCE}/bench.json"
BATCHES, REPEATS, SECONDS = (128, 2048), 3, 0.2
CHILD = "envwright.translate.package.results_child"
LIMITS = Limits(seconds=600, memory_mb=6144, processes=512)


def verification(
    spec: TranslationSpec, verdicts: Mapping[int, Verdict], seed: int
) -> Verification | None:
    """Return what levels 1 to 3 showed; None for runs that did not store it."""
    levels = [_merged(n, verdicts[n].shown) for n in sorted(verdicts) if verdicts[n].shown]
    if not levels:
        return None
    return Verification(
        env=spec.target.package,
        backend=spec.target.backend,
        reference=spec.reference.simulator,
        twin=f"envwright:{spec.target.package}",
        seed=seed,
        notes=[],
        levels=levels,
    )


def _merged(number: int, shown: Mapping[str, Level]) -> Level:
    """Return a level over all checks; an episode counts once, however often it was compared."""
    parts = list(shown.values())
    cases, episodes = sum(p.cases for p in parts), max(p.episodes for p in parts)
    gaps: dict[str, float] = {}
    for name, gap in (item for part in parts for item in part.largest_gaps.items()):
        gaps[name] = max(gap, gaps.get(name, 0.0))
    apart = {label: part.differences.get("", {}) for label, part in shown.items()}
    return Level(
        level=number,
        passed=True,
        verdict="equal",
        cases=cases,
        episodes=episodes,
        steps=sum(part.steps for part in parts),
        bound=clean_bound(episodes if number == 3 else cases),
        near_boundary=sum(part.near_boundary for part in parts),
        largest_gaps=gaps,
        differences={label: fields for label, fields in apart.items() if fields},
        notes=[f"{label}: {note}" for label, part in shown.items() for note in part.notes],
        divergences=[],
    )


def store_results(
    spec: TranslationSpec,
    draft: Path,
    verified: Verification | None,
    measure: bool,
    confined: bool,
) -> tuple[Bench | None, str]:
    """Write the results into a drafted package, with the fingerprints of what decides them.

    With `measure`, it runs a short benchmark beside the reference. Returns that, or why not.
    """
    asked: dict[str, Any] = {"bench": [BATCHES, REPEATS, SECONDS] if measure else None}
    asked["verify"] = None if verified is None else as_json(verified)
    told, why = _asked(spec, draft, asked, confined)
    bench = None
    try:
        found = parse_result(draft, told.get("bench")) if measure else None
        bench = found if isinstance(found, Bench) else None
    except SchemaError as error:
        why = why or str(told.get("why") or error.reason)
    sources = Sources()
    for place, result in ((VERIFY, verified), (BENCH, bench)):
        if result is None:
            continue
        parts = told.get("parts", {}).get(result.kind, {})
        provenance = msgspec.structs.replace(sources.provenance(result), sources=_texts(parts))
        words = _bench_words() if result is bench else []
        document = {
            **as_json(result),
            "machine": result.machine or describe_machine(),
            "command": shlex.join(["envwright", result.kind, spec.target.package, *words]),
            "provenance": msgspec.to_builtins(provenance),
        }
        (draft / place).parent.mkdir(exist_ok=True)
        write_json(draft / place, document)
    return bench, why


def _bench_words() -> list[str]:
    batches = ",".join(map(str, BATCHES))
    return ["--batch", batches, "--repeats", str(REPEATS), "--seconds", f"{SECONDS:g}"]


def _texts(told: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in told.items()} if isinstance(told, dict) else {}


def _asked(
    spec: TranslationSpec, draft: Path, asked: dict[str, Any], confined: bool
) -> tuple[dict[str, Any], str]:
    """Ask a process that sees the package and its reference; return the answer, or why not."""
    known = python_runtime()
    places = [p for p in reference_places(spec) if not any(map(p.is_relative_to, known))]
    path = [FOLDER.parent, *dict.fromkeys(place.parent for place in places)]
    jail = Jail(
        readable=(*known, draft, *places),
        env={
            "PYTHONPATH": ":".join(map(str, path)),
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "JAX_PLATFORMS": "cpu",
        },
        limits=LIMITS,
        confined=confined,
    )
    done = run([sys.executable, "-m", CHILD, str(draft), json.dumps(asked)], jail, cwd=draft)
    try:
        told = json.loads(done.stdout.strip().splitlines()[-1])
        return (told if isinstance(told, dict) else {}), ""
    except (LookupError, ValueError, RecursionError):
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.code}"])[-1]
        return {}, LIMITS.why(done.stopped) or last
