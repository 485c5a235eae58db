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
    """List the environments of the zoo, with backends and references."""
    table = Table()
    for column in ("id", "backends", "reference", "Gymnasium id", "what it is"):
        table.add_column(column)
    for room in rooms():
        backends = ", ".join(room.backends)
        table.add_row(room.name, backends, room.reference, room.gymnasium_id, room.summary)
    if json is not None:
        write_json(
            json,
            {
                "environments": [
                    {
                        "id": room.id,
                        "version": room.version,
                        "backends": list(room.backends),
                        "reference": room.reference,
                        "gymnasium_id": room.gymnasium_id,
                        "summary": room.summary,
                    }
                    for room in rooms()
                ]
            },
        )
    out.print(table)
