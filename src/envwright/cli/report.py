"""`envwright report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envwright.cli.show import out, problem, progress


def report(
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")] = Path(
        "report.html"
    ),
    results: Annotated[
        Path, typer.Option(help="Folder with the JSON files that the other commands wrote.")
    ] = Path("benchmarks"),
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Also replay divergences of python: and command: simulators."),
    ] = False,
) -> None:
    """One self-contained HTML page of all stored results: evidence, curves, speed."""
    from envwright.report import write_report

    with progress() as told:
        made = write_report(output, results, trust, told)
    for each in made.problems:
        problem(f"left out: {each}")
    count, size = len(made.sources), output.stat().st_size / 1e6
    what = "result" if count == 1 else "results"
    out.print(f"{output}: {count} {what}, {size:.1f} MB", markup=False)
