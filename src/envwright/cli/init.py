"""`envwright init` and `envwright suggest-target`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from envwright.cli.listing import JsonFile
from envwright.cli.options import Hardware, PackageName
from envwright.cli.show import out
from envwright.core.files import check_target, write_json

Simulator = Annotated[
    str, typer.Argument(help="gymnasium:ID, python:module:Class or command:PROGRAM.")
]


def init(
    simulator: Simulator,
    folder: Annotated[Path, typer.Argument(help="Folder for the proposal.")],
    backend: Annotated[
        str | None, typer.Option(help="jax or rust; by default what suggest-target recommends.")
    ] = None,
    name: PackageName = None,
    hardware: Hardware = None,
) -> None:
    """Look at an environment and write a first translation.toml for it."""
    from envwright.translate.propose import write_proposal
    from envwright.translate.spec import load_spec

    for path in write_proposal(simulator, folder, backend, name, hardware):
        out.print(f"wrote {path}", markup=False)
    spec = load_spec(folder)
    names = ", ".join(module.name for module in spec.modules)
    pairs = sum(len(module.golden) for module in spec.modules)
    out.print(f"{len(spec.modules)} modules ({names}), golden pairs of {pairs} functions")
    out.print(f"read it, then: envwright translate {folder} --agent NAME", markup=False)


def suggest_target(simulator: Simulator, hardware: Hardware = None, json: JsonFile = None) -> None:
    """Describe an environment, and recommend JAX or Rust for it."""
    from envwright.translate.suggest import WORDS, suggest

    check_target(json)
    suggestion = suggest(simulator, hardware)
    table = Table(title=suggestion.simulator, title_justify="left")
    for column in ("criterion", "what was seen", "points to"):
        table.add_column(column)
    for criterion in suggestion.criteria:
        table.add_row(
            criterion.name, criterion.seen, WORDS.get(criterion.points_to, criterion.points_to)
        )
    out.print(table)
    out.print(f"{WORDS[suggestion.backend]}: {suggestion.confidence}", markup=False)
    if json is not None:
        write_json(json, suggestion.to_json())
