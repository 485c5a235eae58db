"""`envwright results`: which stored results still describe the present code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from envwright.cli.listing import JsonFile
from envwright.cli.show import out
from envwright.core.files import check_target, write_json
from envwright.errors import Exit

STYLES = {"current": "green", "stale": "red", "unknown": "yellow", "malformed": "red"}


def results(
    folder: Annotated[Path, typer.Argument(help="Folder with stored results.")] = Path(
        "benchmarks"
    ),
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 unless every result is current.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """List stored results as current, stale (with what changed) or unknown."""
    from envwright.report.results import find_results

    check_target(json)
    found, problems = find_results(folder)
    rows = [
        {
            "file": str(each.path),
            "kind": each.record.kind,
            "env": each.record.env,
            "date": each.record.date,
            "commit": each.record.provenance.commit,
            "state": each.standing.state,
            "reasons": list(each.standing.reasons),
        }
        for each in found
    ]
    rows += [
        {"file": str(each.path), "kind": "", "state": "malformed", "reasons": [each.reason]}
        for each in problems
    ]
    table = Table()
    for column in ("file", "kind", "made on", "state", "why"):
        table.add_column(column)
    for row in rows:
        made, why = Text(str(row.get("date", ""))[:10]), Text(", ".join(row["reasons"]))
        state = Text(row["state"], style=STYLES[row["state"]])
        table.add_row(Text(row["file"]), Text(row["kind"]), made, state, why)
    out.print(table)
    counts = Counter(row["state"] for row in rows)
    out.print(", ".join(f"{count} {state}" for state, count in counts.items()) or "no results")
    if json is not None:
        write_json(json, {"folder": str(folder), "results": rows})
    if check and any(row["state"] != "current" for row in rows):
        raise typer.Exit(Exit.DIFFERENT)
