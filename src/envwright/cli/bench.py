"""`envwright bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from envwright.cli.adequacy import Name
from envwright.cli.listing import JsonFile
from envwright.cli.show import out, progress
from envwright.core.files import check_target
from envwright.errors import EnvwrightError


def bench(
    name: Name = "cartpole",
    batch: Annotated[str, typer.Option(help="Batch sizes, for instance 64,8192.")] = "64,1024,8192",
    repeats: Annotated[int, typer.Option(help="How often each is measured.")] = 5,
    seconds: Annotated[float, typer.Option(help="How long one measurement takes.")] = 0.5,
    json: JsonFile = None,
) -> None:
    """Steps per second of ours, the reference and the peers, alternating in one run."""
    from envwright.bench import run_bench

    check_target(json)
    with progress() as told:
        result = run_bench(
            name,
            _batches(batch),
            repeats,
            seconds=seconds,
            progress=lambda done, total, what: told("measurements", done, total),
        )
    out.print(result.table())
    if json is not None:
        result.save(json)


def _batches(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise EnvwrightError(f"--batch takes numbers such as 64,8192, not {text!r}") from error
