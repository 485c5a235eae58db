"""Report which battle effects are supported and exercised: the room's way to run `coverage`."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from envwright.core.progress import Progress
from envwright.core.room import Findings
from envwright.zoo.pokemon import support
from envwright.zoo.pokemon.checks.coverage import cover_battles

SHOWN_LACKING = 15
OWN = {"abilities": "ability:", "items": "item:", "moves": "move:"}


def coverage(options: dict[str, Any], seed: int, progress: Progress) -> Findings:
    """Count how often each effect was exercised. Exit 1 if one never was."""
    report = cover_battles(seed, progress)
    table = Table(title="Pokemon battles: supported", title_justify="left")
    for column in ("kind", "in all", "with rules of their own", "fired in duels", "in games"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind in support.KINDS:
        counts = [
            sum(bool(n) for atom, n in fired.items() if atom.startswith(OWN[kind]))
            for fired in (report.in_duels, report.in_games)
        ]
        everything, atoms = len(support.supported(kind)), len(support.atoms(kind))
        table.add_row(kind, *map(str, (everything, atoms, *counts)))
    sets = report.survey
    shown = [
        table,
        f"{report.share_of_sets:.1%} of {sets['sets']:,} generated sets are supported; what is "
        f"missing most: {', '.join(list(sets['lacking'])[:SHOWN_LACKING])}",
    ]
    shown += [
        f"  {atom}: {count} in duels, {report.in_games[atom]} in games"
        for atom, count in report.in_duels.items()
    ]
    shown += [Text(f"  never exercised: {atom}", style="red") for atom in report.idle]
    return Findings(shown, report.to_json(), report.exit_code)
