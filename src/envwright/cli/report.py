"""`envwright report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envwright.cli.next_steps import suggest_after
from envwright.cli.room_options import room_name
from envwright.cli.show import out, problem, progress
from envwright.core.outside_rooms import EVIDENCE, package_in
from envwright.core.registry import find
from envwright.core.room import Room
from envwright.errors import EnvwrightError


def report(
    what: Annotated[
        str | None,
        typer.Argument(
            help="Only this environment: a name, or the folder of a translation.",
            show_default="all results",
        ),
    ] = None,
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
            show_default="benchmarks, or a translation's evidence",
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
        room, place = _asked_for(what)
        _results(output or Path("report.html"), results or place, trust, room.id if room else "")
        suggest_after("report", room)
        return
    if what is not None or results is not None or trust:
        raise EnvwrightError(
            "a name, --results and --trust are for stored results; leave them out with --run"
        )
    _one_run(output or Path("run.html"), run)


def _asked_for(what: str | None) -> tuple[Room | None, Path]:
    """Return the room that was named, and the folder of its results."""
    if what is None:
        return None, Path("benchmarks")
    name = room_name(what)
    assert name is not None
    room, package = find(name.partition("?")[0]), package_in(Path(what))
    return room, Path("benchmarks") if package is None else package / EVIDENCE


def _results(output: Path, results: Path, trust: bool, only: str) -> None:
    from envwright.report import write_report

    with progress() as told:
        made = write_report(output, results, trust, told, only)
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
