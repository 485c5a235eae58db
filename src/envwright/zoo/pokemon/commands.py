"""What `coverage` does with Pokemon battles."""

from __future__ import annotations

import typer
from rich.table import Table

from envwright.cli.show import out, progress
from envwright.cli.stored import Store

ID = "pokemon"
SHOWN_LACKING = 15


def coverage(seed: int, store: Store) -> None:
    """What is supported and how often each effect was exercised. Exit 1 if one never was."""
    from envwright.zoo.pokemon import support
    from envwright.zoo.pokemon.checks.coverage import cover_battles
    from envwright.zoo.pokemon.duels import KINDS

    with progress() as told:
        report = cover_battles(seed, told)
    table = Table(title="Pokemon battles: supported", title_justify="left")
    for column in ("kind", "in all", "with rules of their own", "fired in duels", "in games"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind in KINDS:
        own = {"abilities": "ability:", "items": "item:", "moves": "move:"}[kind]
        counts = [
            sum(bool(n) for atom, n in fired.items() if atom.startswith(own))
            for fired in (report.in_duels, report.in_games)
        ]
        everything, atoms = len(support.supported(kind)), len(support.atoms(kind))
        table.add_row(kind, *map(str, (everything, atoms, *counts)))
    out.print(table)
    sets = report.survey
    out.print(
        f"{report.share_of_sets:.1%} of {sets['sets']:,} generated sets are supported; what is "
        f"missing most: {', '.join(list(sets['lacking'])[:SHOWN_LACKING])}",
        markup=False,
    )
    for atom, count in report.in_duels.items():
        out.print(f"  {atom}: {count} in duels, {report.in_games[atom]} in games", markup=False)
    for atom in report.idle:
        out.print(f"  never exercised: {atom}", style="red", markup=False)
    store(report.to_json())
    raise typer.Exit(report.exit_code)
