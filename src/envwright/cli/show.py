"""Terminal output: tables, progress, problems."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from envwright.core.progress import Progress as Report
from envwright.core.text import legible, one_line
from envwright.verify.differences import SHARES, merged
from envwright.verify.results import LevelResult

WIDE = 132  # columns of a table in a file or a pipe


class Terminal(Console):
    """A console that shows text literally, whatever a file or an agent put into it.

    Neither rich's markup nor a terminal's control characters have an effect; styles are given
    beside a text.
    """

    def __init__(self, **options: Any) -> None:
        # `:clamp:` may be part of a name
        super().__init__(highlight=False, soft_wrap=True, emoji=False, markup=False, **options)

    def on_broken_pipe(self) -> None:
        raise  # leave a closed pipe to the command; rich would exit as if all differed

    def render_str(self, text: str, **options: Any) -> Text:  # pyright: ignore
        return super().render_str(legible(text), **options)  # before it is measured

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=legible(segment.text))


out, err = Terminal(), Terminal(stderr=True)
if not out.is_terminal:
    out.width = WIDE


def problem(sentence: str) -> None:
    """Print what is wrong and what to do, in one sentence."""
    err.print(f"envwright: {one_line(sentence)}")


def from_here(place: Path) -> str:
    """Return a path as one types it in the current folder."""
    whole, here = place.resolve(), Path.cwd()
    return f"./{whole.relative_to(here)}" if whole.is_relative_to(here) else str(whole)


@contextmanager
def progress() -> Iterator[Report]:
    """Show bars on a terminal, or else a line for each finished task."""
    if not err.is_terminal:
        yield _lines()
        return
    columns = (plain_column("description"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=err, transient=True) as bars:
        tasks: dict[str, int] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)  # type: ignore[arg-type]

        yield told


def plain_column(name: str) -> TextColumn:
    """Make a column with a task's attribute, without markup."""
    return TextColumn(f"{{task.{name}}}", markup=False)


def _lines(pause: float = 10.0) -> Report:
    """Print a line when a task is finished, and every `pause` seconds until then."""
    began = last = time.monotonic()
    finished: set[str] = set()

    def told(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if what in finished or (done < total and now - last < pause):
            return
        last = now
        if done >= total:
            finished.add(what)
        err.print(f"  {what}: {done} of {total}, {now - began:.0f} s")

    return told


COLOURS = {"equal": "green", "equivalent": "green", "different": "red"}


def level_table(levels: list[LevelResult], title: str) -> Table:
    """Make a table of verdict and evidence, a row for each level."""
    table = Table(title=title, title_justify="left")
    for column in ("level", "verdict", "cases", "episodes", "steps", "largest gap", "bound (95 %)"):
        table.add_column(column, justify="left" if column in ("level", "verdict") else "right")
    names = {1: "L1 properties", 2: "L2 interactions", 3: "L3 rollouts", 4: "L4 transfer"}
    for level in levels:
        tally, gap = level.tally, max(level.tally.gaps.values(), default=0.0)
        table.add_row(
            names[level.level],
            _marked(level.verdict),
            f"{tally.cases:,}" if tally.cases else "-",
            f"{tally.episodes:,}" if tally.episodes else "-",
            f"{tally.steps:,}",
            "-" if not tally.gaps else "exact" if gap == 0 else f"{gap:.2g}",
            "-" if level.bound is None else f"{level.bound:.2%}",
        )
    return table


def differences_table(levels: list[LevelResult]) -> Table | None:
    """Make a table of the fields' differences over all levels; None if everything is exact."""
    title = "\nhow far apart: of all numbers compared"
    table = Table(title=title, title_justify="left")
    for column in ("check", "field"):
        table.add_column(column)
    for column in ("numbers", "median", "99 %", "99.9 %", "largest", "relative: 99 %", "99.9 %"):
        table.add_column(column, justify="right")
    for check, fields in merged(level.differences for level in levels).items():
        for name, seen in fields.items():
            if seen.exact:
                continue
            told = [seen.absolute.quantile(share) for share in SHARES.values()]
            shares = [seen.relative.quantile(SHARES[which]) for which in ("p99", "p99.9")]
            numbers = [*told, seen.absolute.largest, *shares]
            table.add_row(check, name, f"{seen.absolute.total:,}", *(f"{x:.2g}" for x in numbers))
    return table if table.row_count else None


def transfer_table(level: Any) -> Table:
    """Make a table of level 4: a row for each side that policies were trained in."""
    plan = level.plan
    correlation, visits = level.correlation, level.visitation
    told = "not defined" if correlation.pearson is None else f"{correlation.pearson:.4f}"
    caption = (
        f"TOST at {plan.alpha:g}, margin {plan.margin:g} ({plan.why}); {plan.episodes} episodes a "
        f"policy and side, horizon {plan.horizon}\n"
        f"correlation of {len(level.policies)} paired returns {told}; visited states: "
        f"Jensen-Shannon {visits.jsd_mean:.4f}, of one law it would be {visits.noise:.4f}"
    )
    title = "\ndo policies notice? returns in reference and twin"
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    columns = (
        "seeds",
        "policies",
        "reference",
        "twin",
        "difference",
        "90 % interval",
        "p",
        "power",
    )
    table.add_column("trained in")
    for column in columns:
        table.add_column(column, justify="right")
    table.add_column("verdict")
    for e in level.directions:
        interval = "-" if e.low is None else f"{e.low:+.2f} .. {e.high:+.2f}"
        table.add_row(
            e.trained_in,
            str(e.n),
            str(e.policies),
            *(_number(x, ".2f") for x in (e.mean_reference, e.mean_twin)),
            _number(e.difference, "+.2f"),
            interval,
            _number(e.p, ".2g"),
            f"{e.power:.3f}",
            _marked(e.verdict),
        )
    return table


def _marked(verdict: str) -> Text:
    return Text(verdict, COLOURS.get(verdict, "yellow"))


def _number(value: float | None, shape: str) -> str:
    return "-" if value is None else format(value, shape)
