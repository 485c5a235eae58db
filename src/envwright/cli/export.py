"""`envwright export`: a verified translation as a package that pip installs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envwright.cli.next_steps import steps
from envwright.cli.options import NoBench, Unsafe
from envwright.cli.recipe import is_confined, say
from envwright.cli.show import from_here, out, progress
from envwright.core.files import check_folder
from envwright.core.room import TRANSLATION
from envwright.errors import EnvwrightError
from envwright.translate.package import export as write_package
from envwright.translate.package import place_for
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import StoredRun, find_run, last_run, open_run

PLACED = "the package is in"

Run = Annotated[
    str, typer.Argument(help="A translation's folder, or the id or folder of one of its runs.")
]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The folder of the package.")]


def export(
    run: Run, output: Output = None, no_bench: NoBench = False, unsafe: Unsafe = False
) -> None:
    """Write a verified translation as a package that pip installs.

    With a folder, the newest verified run is taken.
    """
    if output is not None:
        check_folder(output)
    found = _verified(run)
    place = place_for(found.spec, output)
    write(found, place, is_confined(found.agents, unsafe), not no_bench)


def write(run: StoredRun, place: Path, confined: bool, measure: bool = True) -> None:
    """Write the package of a run, and show what to type next."""
    with progress():
        write_package(run, place, confined, measure, say)
    say(f"{PLACED} {from_here(place)}; next:")
    package, gymnasium_id = run.spec.target.package, run.spec.gymnasium_id
    for command in steps(place, package, gymnasium_id).values():
        out.print(f"  {command}", markup=False, soft_wrap=True)


def _verified(name: str) -> StoredRun:
    folder = Path(name)
    if not (folder / TRANSLATION).is_file():
        return find_run(name, Path("."))
    last = last_run(load_spec(folder), ended="verified")
    if last is None:
        raise EnvwrightError(
            f"{folder} has no verified run; run envwright translate {folder}, with "
            "--agent replay if it is a recording"
        )
    return open_run(last)
