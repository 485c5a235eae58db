"""Measure a package in a folder, and fingerprint what decides its results; prints one JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from envwright.bench.throughput import run_bench
from envwright.core.registry import open_folder
from envwright.errors import EnvwrightError
from envwright.schema.provenance import Sources
from envwright.schema.results import as_json, parse_result


def main(folder: Path, bench: list[Any] | None, verify: dict[str, Any] | None) -> dict[str, Any]:
    """Return the benchmark, if asked for, and the fingerprints of both results."""
    name, told, results = open_folder(folder).id, {}, []
    if verify is not None:
        results.append(parse_result(folder, verify))
    if bench is not None:
        batches, repeats, seconds = bench
        try:
            results.append(run_bench(name, tuple(batches), repeats, seconds=seconds))
            told["bench"] = as_json(results[-1])
        except EnvwrightError as error:  # such as actions that a benchmark cannot draw
            told["why"] = str(error)
    sources = Sources()
    return {**told, "parts": {result.kind: sources.parts(result) for result in results}}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), **json.loads(sys.argv[2]))), flush=True)
    os._exit(0)  # nothing of the package runs after the last line, such as a generator's `finally`
