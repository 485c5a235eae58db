"""What `coverage` does with TCG Pocket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from envwright.cli.show import out, progress
from envwright.cli.stored import Store

if TYPE_CHECKING:
    from envwright.zoo.tcgpocket.checks.coverage import CardCoverage

ID = "tcgpocket"
SHOWN = 20  # decisions with one outcome


def coverage(seed: int, store: Store) -> None:
    """Cards by set, effects, lines and decisions. Exit 1 if an effect acted too seldom."""
    from envwright.zoo.tcgpocket.checks.coverage import cover_cards

    with progress() as told:
        report = cover_cards(seed, told)
    _show_sets(report)
    for name, count in report.states.items():
        out.print(
            f"  {name}: from {count} states; {report.in_games[name]} times in games", markup=False
        )
    _show_engine(report)
    for name in report.idle:
        out.print(f"  exercised too seldom: {name}", style="red", markup=False)
    store(report.to_json())
    raise typer.Exit(report.exit_code)


def _show_sets(report: CardCoverage) -> None:
    table = Table(title="TCG Pocket: cards that can be played", title_justify="left")
    for column in ("set", "cards", "complete", "share"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, total in report.sets.items():
        done = report.complete.get(name, 0)
        table.add_row(name, str(total), str(done), f"{done / total:.0%}")
    out.print(table)
    fired = sum(count > 0 for count in report.states.values())
    out.print(
        f"{fired} of {len(report.states)} effects acted in random states; {report.used} cards were "
        f"used in {report.games} games"
    )


def _show_engine(report: CardCoverage) -> None:
    files = Table(title="\nthe fast engine: lines that run", title_justify="left")
    for column in ("file", "lines", "run", "missing lines"):
        files.add_column(column, justify="left" if column == "file" else "right")
    for name, file in report.files.items():
        missing = ", ".join(map(str, file.missing)) or "none"
        files.add_row(name, str(file.lines), str(file.lines_run), missing)
    out.print(files)
    decisions = report.decisions
    out.print(f"{len(decisions.counts)} decisions, {decisions.share:.1%} with both outcomes")
    for text in decisions.one_sided[:SHOWN]:
        out.print(f"  {text}", markup=False)
