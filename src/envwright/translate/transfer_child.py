"""Level 4 inside the jail: read the request, write the result."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from envwright.core.files import write_json
from envwright.schema.results import as_json
from envwright.translate.spec import load_spec
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.transfer.result import TransferResult


def main() -> None:
    """Run with the command line's arguments."""
    asked = json.loads(sys.argv[1])
    spec = load_spec(Path(asked["spec"]))
    spec.make_reachable()
    assert spec.transfer is not None
    result = check_transfer(
        asked["reference"], asked["twin"], spec.transfer, policies=Path(asked["policies"])
    )
    write_json(asked["result"], _as_data(result))


def _as_data(result: TransferResult) -> dict:
    lines = [f"trained in the {d.trained_in}: {d.reason}" for d in result.directions]
    verdict = "equal" if result.verdict == "equivalent" else result.verdict
    return {
        "verdict": verdict,
        "summary": lines[0] if lines else "",
        "table": "\n".join(lines),
        "notes": result.notes,
        "level": as_json(result.record()),
    }


if __name__ == "__main__":
    main()
