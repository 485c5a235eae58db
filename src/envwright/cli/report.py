"""`envwright report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envwright.cli.show import out, problem, progress
from envwright.errors import EnvwrightError


def report(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The page to write.", show_default="report.html or run.html"
        ),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the JSON files that the other commands wrote.",
            show_default="benchmarks",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Also run simulators that only the results name."),
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Show one run of the recipe: its id, the beginning of its id, or its folder.",
        ),
    ] = None,
) -> None:
    """Write one self-contained HTML page of all stored results: evidence, curves, speed.

    With --run, write the page of one translation: turns, judgements, costs, code.
    """
    if run is None:
        _all_results(output or Path("report.html"), results or Path("benchmarks"), trust)
        return
    if results is not None or trust:
        raise EnvwrightError("--results and --trust are for all results; leave them out with --run")
    _one_run(output or Path("run.html"), run)


def _all_results(output: Path, results: Path, trust: bool) -> None:
    from envwright.report import write_report

    with progress() as told:
        made = write_report(output, results, trust, told)
    for each in made.problems:
        problem(f"left out: {each}")
    count, size = len(made.sources), output.stat().st_size / 1e6
    what = "result" if count == 1 else "results"
    out.print(f"{output}: {count} {what}, {size:.1f} MB", markup=False)


def _one_run(output: Path, run: str) -> None:
    from envwright.report.run_page import write_run_page

    made = write_run_page(output, run)
    for each in made.problems:
        problem(f"left out: {each}")
    what = "turn" if made.turns == 1 else "turns"
    size = output.stat().st_size / 1e6
    out.print(f"{output}: run {made.run}, {made.turns} {what}, {size:.1f} MB", markup=False)
