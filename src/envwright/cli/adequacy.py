"""`envwright mutate` and `envwright coverage`: how thorough the levels are."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from envwright.cli.listing import JsonFile
from envwright.cli.next_steps import suggest_after
from envwright.cli.options import ExecutorName, Seed
from envwright.cli.room_options import RoomOptions, named_room, room_name, with_room_options
from envwright.cli.show import out, progress
from envwright.cli.stored import Store
from envwright.core import limits
from envwright.core.executor import make_executor
from envwright.core.registry import find
from envwright.errors import EnvwrightError, Exit
from envwright.verify.transfer.plan import TransferRequest

if TYPE_CHECKING:
    from envwright.schema.results import Coverage
    from envwright.verify.adequacy.mutate import MutationReport

Name = Annotated[
    str, typer.Argument(help="An environment, or the folder of a translation.", callback=room_name)
]
Backend = Annotated[str | None, typer.Option(help="Backend of the environment.")]
LEVEL_NAMES = {
    "l1": "L1 properties",
    "l2": "L2 interactions",
    "l3": "L3 rollouts",
    "l4": "L4 transfer",
    "tests": "the crates' tests, of what no level notices",
}


def mutate(
    name: Name,
    backend: Backend = None,
    seed: Seed = 0,
    most: Annotated[
        int | None, typer.Option(max=limits.EPISODES, help="Try only a sample of this many.")
    ] = None,
    files: Annotated[
        str, typer.Option(help="Seed bugs only in matching files: 'effects/*', 'tables.npz'.")
    ] = "",
    probes: Annotated[
        str, typer.Option(help="Run only matching ones of the room's own checks: '*levels*'.")
    ] = "",
    until_noticed: Annotated[
        bool, typer.Option("--until-noticed", help="Skip mutants that an earlier level caught.")
    ] = False,
    policies: Annotated[
        Path | None, typer.Option(help="Also level 4, with the trained policies in this folder.")
    ] = None,
    executor: ExecutorName = "process",
    json: JsonFile = None,
) -> None:
    """Seed bugs in an environment and find the level that catches each. Exit 1 if any survives."""
    from envwright.verify.adequacy.evidence import EFFORT
    from envwright.verify.adequacy.mutate import mutate_room

    interim = _IntervalStore(Store(json))
    if most is not None and most < 1:
        raise EnvwrightError(f"--most must be at least 1, not {most}")
    effort = replace(EFFORT, transfer=TransferRequest(policies))
    try:
        with progress() as told:
            report = mutate_room(
                name,
                backend,
                seed=seed,
                effort=effort,
                most=most,
                until_noticed=until_noticed,
                files=files,
                probes=probes,
                executor=make_executor(executor),
                progress=told,
                so_far=interim,
            )
    except KeyboardInterrupt:
        interim.save()
        if interim.report is not None:
            _show_mutants(interim.report)
        raise
    interim.save()
    _show_mutants(report)
    suggest_after("mutate", named_room(name))
    raise typer.Exit(Exit.DIFFERENT if report.survived else Exit.EQUAL)


class _IntervalStore:
    """Stores the report so far at intervals."""

    def __init__(self, store: Store, pause: float = 20.0) -> None:
        self.report: MutationReport | None = None
        self._store, self._pause, self._last = store, pause, time.monotonic()

    def __call__(self, report: MutationReport) -> None:
        self.report = report
        if time.monotonic() - self._last > self._pause:
            self.save()

    def save(self) -> None:
        self._last = time.monotonic()
        if self.report is not None:
            self._store(self.report.record())


def _show_mutants(report: MutationReport) -> None:
    tried = len(report.mutants)
    judged = tried - len(report.equivalent)
    of_all = "" if tried == report.total else f" of {report.total}"
    title = f"{tried}{of_all} mutants of {report.env}"
    title += "" if report.backend == "jax" else f" ({report.backend})"
    table = Table(title=title, title_justify="left")
    for column in ("level", "killed", "share of the non-equivalent"):
        table.add_column(column, justify="left" if column == "level" else "right")
    for place, (level, ids) in enumerate(report.killed.items()):
        name = LEVEL_NAMES[level]
        if report.until_noticed and place and level != "tests":
            name += ", of what those before it missed"
        table.add_row(name, str(len(ids)), f"{len(ids) / max(1, judged):.1%}")
    anyone = "level or test" if "tests" in report.killed else "level"
    table.add_row(f"any {anyone}", str(judged - len(report.survived)), f"{report.kill_rate:.1%}")
    out.print(table)
    if tried + len(report.not_compiled) < report.total:
        low, high = report.interval
        out.print(f"  of all {report.total} mutants {low:.1%} to {high:.1%} would be (95 %)")
    out.print(f"  {len(report.crashed)} of them raised instead of answering wrongly")
    if report.not_compiled:
        out.print(f"  {len(report.not_compiled)} more do not compile and are not counted")
    for claim in report.equivalent:
        out.print(f"  equivalent  {claim.mutant}\n              {claim.proof}", markup=False)
    for mutant in report.survived:
        out.print(f"  survived    {mutant.id}\n              {mutant.diff()}", markup=False)


@with_room_options("coverage")
def coverage(
    name: Name,
    backend: Backend = None,
    seed: Seed = 0,
    json: JsonFile = None,
    *,
    own: RoomOptions,
) -> None:
    """List exercised decisions, lines and branches. Exit 1 if a decision is one-sided."""
    from envwright.verify.adequacy.coverage import cover_room

    store = Store(json)
    own.run_handler(find(name), seed, store)
    with progress() as told:
        found = cover_room(name, backend, seed=seed, progress=told)
    if found.levels:
        _show_decisions(found)
    out.print(f"Rust: {_rust_words(found.rust)}", markup=False)
    store(found)
    suggest_after("coverage", named_room(name))
    raise typer.Exit(Exit.DIFFERENT if found.unseen else Exit.EQUAL)


def _rust_words(rust: dict[str, Any]) -> str:
    if "skipped" in rust:
        return rust["skipped"]
    parts = [f"{share['covered']} of {share['count']} {kind}" for kind, share in rust.items()]
    return f"the crates' own tests run {', '.join(parts)}"


def _show_decisions(found: Coverage) -> None:
    table = Table(title=f"decisions of {found.env} ({found.backend})", title_justify="left")
    for column in ("level", "decisions", "both outcomes seen", "share"):
        table.add_column(column, justify="left" if column == "level" else "right")
    for row in found.levels:
        label = LEVEL_NAMES[f"l{row.level}"]
        table.add_row(label, str(row.decisions), str(row.both_outcomes), f"{row.share:.0%}")
    table.add_row("all levels", str(len(found.decisions)), "", f"{found.share:.0%}")
    out.print(table)
    for entry in found.decisions:
        counts = ", ".join(f"{outcome} {n:,}" for outcome, n in entry.outcomes.items())
        out.print(f"  {entry.decision}: {counts}", markup=False)
    for claim in found.unreachable:
        out.print(f"  cannot be: {claim.gap}\n             {claim.proof}", markup=False)
    for gap in found.unseen + found.unvisited:
        out.print(f"  not covered: {gap}", style="red", markup=False)
    out.print(
        f"\n{found.episodes} clean episodes leave a failure rate of at most {found.bound:.2%} "
        "(95 %); envwright verify runs more"
    )
    files = Table(title="\nPython lines and branches", title_justify="left")
    for column in ("file", "lines", "run", "branches", "run", "missing lines"):
        files.add_column(column, justify="left" if column == "file" else "right")
    for file, f in found.files.items():
        missing = ", ".join(map(str, f.missing)) or "none"
        counts = (f.lines, f.lines_run, f.branches, f.branches_run)
        files.add_row(file, *map(str, counts), missing)
    out.print(files)
