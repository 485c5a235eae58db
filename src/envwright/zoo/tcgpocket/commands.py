"""Report which cards and effects are exercised: TCG Pocket's way to run `coverage`."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from envwright.core.progress import Progress
from envwright.core.room import Findings
from envwright.zoo.tcgpocket.checks import coverage as checks

SHOWN = 20  # decisions with one outcome


def coverage(options: dict[str, Any], seed: int, progress: Progress) -> Findings:
    """Count cards by set, effects, lines and decisions. Exit 1 if an effect acted too seldom."""
    report = checks.cover_cards(seed, progress)
    shown = _sets(report)
    shown += [
        f"  {name}: from {count} states; {report.in_games[name]} times in games"
        for name, count in report.states.items()
    ]
    shown += _engine(report)
    shown += [Text(f"  exercised too seldom: {name}", style="red") for name in report.idle]
    return Findings(shown, report.to_json(), report.exit_code)


def _sets(report: checks.CardCoverage) -> list[Any]:
    table = Table(title="TCG Pocket: cards that can be played", title_justify="left")
    for column in ("set", "cards", "complete", "share"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, total in report.sets.items():
        done = report.complete.get(name, 0)
        table.add_row(name, str(total), str(done), f"{done / total:.0%}")
    fired = sum(count > 0 for count in report.states.values())
    return [
        table,
        f"{fired} of {len(report.states)} effects acted in random states; {report.used} cards were "
        f"used in {report.games} games",
    ]


def _engine(report: checks.CardCoverage) -> list[Any]:
    files = Table(title="\nthe fast engine: lines that run", title_justify="left")
    for column in ("file", "lines", "run", "missing lines"):
        files.add_column(column, justify="left" if column == "file" else "right")
    for name, file in report.files.items():
        missing = ", ".join(map(str, file.missing)) or "none"
        files.add_row(name, str(file.lines), str(file.lines_run), missing)
    decisions = report.decisions
    return [
        files,
        f"{len(decisions.counts)} decisions, {decisions.share:.1%} with both outcomes",
        *(f"  {text}" for text in decisions.one_sided[:SHOWN]),
    ]
