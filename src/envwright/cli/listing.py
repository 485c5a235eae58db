"""`envwright list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from envwright.cli.show import out
from envwright.core.files import write_json
from envwright.core.registry import rooms

JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the result to this file.")]


def list_environments(json: JsonFile = None) -> None:
    """The environments of the zoo, their backends and references."""
    table = Table()
    for column in ("id", "backends", "reference", "Gymnasium id", "what it is"):
        table.add_column(column)
    for spec in rooms():
        backends = ", ".join(spec.backends)
        table.add_row(spec.name, backends, spec.reference, spec.gymnasium_id, spec.summary)
    if json is not None:
        write_json(
            json,
            {
                "environments": [
                    {
                        "id": spec.id,
                        "version": spec.version,
                        "backends": list(spec.backends),
                        "reference": spec.reference,
                        "gymnasium_id": spec.gymnasium_id,
                        "summary": spec.summary,
                    }
                    for spec in rooms()
                ]
            },
        )
    out.print(table)
