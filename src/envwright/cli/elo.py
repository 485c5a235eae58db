"""`envwright elo`: how strong players of a two-player game are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from envwright.cli.listing import JsonFile
from envwright.cli.room_options import room_name
from envwright.cli.show import err, out
from envwright.cli.stored import Store
from envwright.core import limits
from envwright.core.registry import find
from envwright.schema.names import split_options


def elo(
    name: Annotated[
        str,
        typer.Argument(
            help="A game, or a translation's folder; options: 'tcgpocket?decks=sparks,dojo'.",
            callback=room_name,
        ),
    ],
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs (train --checkpoint).")
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            min=2,
            max=limits.EPISODES,
            help="Games between any two; half with seats swapped.",
        ),
    ] = 200,
    backend: Annotated[
        str | None, typer.Option(help="A backend such as jax, or reference.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=limits.SEED, help="Seed of the games.")] = 0,
    stages: Annotated[
        bool,
        typer.Option("--stages", help="Use all policies that a run has kept, not only the last."),
    ] = False,
    greedy: Annotated[
        bool, typer.Option("--greedy", help="Let agents take their likeliest action.")
    ] = False,
    scripted: Annotated[
        str | None, typer.Option(help="Scripted players, such as greedy,random; by default all.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Also run simulators that only the runs name.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """Rate scripted players and trained agents by Elo: a round robin in both seats."""
    from envwright.train.arena import round_robin
    from envwright.train.arena.invite import open_table, scripted_players, trained_players

    store = Store(json)
    chosen = None if scripted is None else [part.strip() for part in scripted.split(",")]
    players = scripted_players(name, chosen)
    players += trained_players(name, runs or [], stages, greedy, trust)
    played = round_robin(
        open_table(name, backend),
        players,
        games,
        seed,
        lambda sentence: err.print(f"  {sentence}", markup=False),
    )
    bare, options = split_options(name)
    room = find(bare)
    record = played.ratings().record(
        room.id,
        options=options,
        backend=backend or room.default_backend,
        games=games,
        seed=seed,
    )
    table = Table(title=f"{name}: {games} games between any two", title_justify="left")
    table.add_column("player")
    for column in ("Elo", "95 %", "won", "tied", "lost"):
        table.add_column(column, justify="right")
    for row in record.ranking:
        counts = map(str, (row.wins, row.ties, row.losses))
        table.add_row(row.name, f"{row.elo:.0f}", f"{row.low:.0f} to {row.high:.0f}", *counts)
    out.print(table)
    store(record)
