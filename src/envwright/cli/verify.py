"""`envwright verify` and `envwright replay`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from envwright.cli.grouped import grouped
from envwright.cli.listing import JsonFile
from envwright.cli.next_steps import suggest_after
from envwright.cli.options import ExecutorName, Seed
from envwright.cli.room_options import RoomOptions, named_room, room_name, with_room_options
from envwright.cli.settings import Settings, split_settings
from envwright.cli.show import differences_table, level_table, out, progress, transfer_table
from envwright.cli.stored import Store
from envwright.core import limits
from envwright.core.executor import make_executor
from envwright.core.files import check_folder
from envwright.core.registry import demo_room
from envwright.errors import EnvwrightError, Exit
from envwright.schema.divergence import PairDivergence, load_divergence
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.divergence import unregistered
from envwright.verify.pair import PairSpec
from envwright.verify.replay import Replay, smaller
from envwright.verify.replay import replay as replay_divergence
from envwright.verify.results import VerifyReport
from envwright.verify.room import load_room
from envwright.verify.run import Effort, verify_pair, verify_room
from envwright.verify.transfer.plan import TransferRequest
from envwright.verify.vector.check import LANES, verify_vector

ALL_LEVELS = "1,2,3"
ASKED = "asked for on the command line"


@dataclass(frozen=True)
class PairOptions:
    """The options of two simulators, and how closely they are compared."""

    reference: Annotated[
        str | None, typer.Option(help="gymnasium:ID, gymnax:ID, envwright:ID, python:…, command:…")
    ] = None
    twin: Annotated[str | None, typer.Option(help="The simulator that should be equal to it.")] = (
        None
    )
    bridge: Annotated[
        str | None, typer.Option(help="python:module:attribute that maps states.")
    ] = None
    atol: Annotated[
        list[str] | None, typer.Option(help="Absolute tolerance: 1e-5, or FIELD=1e-5.")
    ] = None
    ulp: Annotated[
        list[str] | None, typer.Option(help="Tolerance in units in the last place: 4, or FIELD=4.")
    ] = None
    include_terminal: Annotated[
        bool, typer.Option(help="Also step from states in which the episode is over.")
    ] = False

    @property
    def tolerances(self) -> Tolerances | None:
        """Return the requested tolerances; None without any."""
        return _tolerances(self.atol or [], self.ulp or [])

    def spec(self) -> PairSpec:
        """Return the pair."""
        assert self.reference and self.twin
        tolerances = self.tolerances or Tolerances()
        return PairSpec(self.reference, self.twin, self.bridge, tolerances, self.include_terminal)


@dataclass(frozen=True)
class LevelOptions:
    """The options of levels, episodes and policies."""

    levels: Annotated[str, typer.Option(help="Levels to run, for instance 1,3.")] = ALL_LEVELS
    episodes: Annotated[
        int | None, typer.Option(max=limits.EPISODES, help="Number of episodes of level 3.")
    ] = None
    policy: Annotated[
        list[str] | None,
        typer.Option(help="random, sticky, alternating, boundary, trained:FILE or python:…."),
    ] = None


@dataclass(frozen=True)
class VectorOptions:
    """The options of the vector form."""

    vector: Annotated[
        bool, typer.Option("--vector", help="Compare the vector form: lanes and auto-reset.")
    ] = False
    lanes: Annotated[
        int, typer.Option(max=limits.PYTHON_LANES, help="Number of lanes of the vector form.")
    ] = LANES


@dataclass(frozen=True)
class TransferOptions:
    """Level 4."""

    policies: Annotated[
        Path | None,
        typer.Option(help="Level 4: folder of trained policies, or folder to keep them in."),
    ] = None
    margin: Annotated[
        float | None, typer.Option(help="Level 4: the change of mean return that does not matter.")
    ] = None
    settings: Settings = None


@grouped
@with_room_options("verify")
def verify(
    name: Annotated[
        str | None,
        typer.Argument(help="An environment, or the folder of a translation.", callback=room_name),
    ] = None,
    *,
    pair: PairOptions,
    backend: Annotated[str | None, typer.Option(help="Backend of the environment.")] = None,
    asked: LevelOptions,
    vector: VectorOptions,
    transfer: TransferOptions,
    seed: Seed = 0,
    executor: ExecutorName = "serial",
    keep: Annotated[Path, typer.Option(help="Folder for divergences.")] = Path("."),
    json: JsonFile = None,
    own: RoomOptions,
) -> None:
    """Compare a twin with its reference. Exit 0 equal, 1 different, 3 inconclusive.

    Level 4 trains policies on both sides and takes minutes; request it with --levels.
    """
    store = Store(json)
    check_folder(keep)
    own.run_handler(named_room(name), seed, store)
    request = TransferRequest(transfer.policies, transfer.margin, split_settings(transfer.settings))
    effort = Effort(
        read_levels(asked.levels),
        asked.episodes,
        tuple(asked.policy) if asked.policy else None,
        transfer=request,
        options=own.given,
    )
    _refuse_options_of_transfer(effort)
    _refuse_what_does_not_fit(name, backend, pair)
    if name is not None and not vector.vector:
        _refuse_options_of_a_pair(name, pair, transfer.margin)
    if vector.vector:
        _refuse_options_of_a_single(asked, executor, pair.include_terminal)
    if vector.lanes < 1:
        raise EnvwrightError(f"--lanes must be at least 1, not {vector.lanes}")
    with progress() as told:
        if vector.vector:
            spec = pair.spec() if name is None else _vector_spec(name, backend, pair)
            report = verify_vector(
                spec, seed, episodes=asked.episodes or 100, lanes=vector.lanes, progress=told
            )
            for level in report.levels:
                level.divergences = [d.save(keep) for d in level.divergences]
        else:
            shared = {"executor": make_executor(executor), "progress": told, "keep": keep}
            if name is not None:
                report = verify_room(name, backend, seed, effort, **shared)
            else:
                report = verify_pair(pair.spec(), seed, effort, **shared)
    show_report(report)
    store(report.record())
    if report.exit_code == Exit.EQUAL:
        suggest_after("verify", named_room(name))
    raise typer.Exit(report.exit_code)


def show_report(report: VerifyReport) -> None:
    """Print the table of levels, notes, and every divergence."""
    out.print(level_table(report.levels, f"{report.twin} against {report.reference}"))
    differences = differences_table(report.levels)
    if differences is not None:
        out.print(differences)
    for level in report.levels:
        if level.level == 4:
            out.print(transfer_table(level))
    notes = report.notes + [
        f"level {level.level}: {note}"
        for level in report.levels
        for note in [*level.notes, *([level.inconclusive] if level.inconclusive else [])]
    ]
    near = sum(level.tally.near_boundary for level in report.levels)
    if near:
        notes.append(
            f"{near} cases fell within the tolerance of a threshold, where the reference itself "
            "gives both answers"
        )
    for note in notes:
        out.print(f"  {note}", markup=False)
    for divergence in report.divergences:
        out.print()
        foreign = isinstance(divergence, PairDivergence) and unregistered(divergence)
        out.print(divergence.text(trust=bool(foreign)), markup=False)


def replay(
    file: Annotated[Path, typer.Argument(help="A file that verify saved.")],
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Also save the smallest trace that still differs.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Also run simulators that only the file names.")
    ] = False,
) -> None:
    """Replay a saved divergence. Exit 1 if both still differ, 0 if they agree now."""
    divergence = load_divergence(file)
    shown = replay_divergence(divergence, trust)
    out.print(str(divergence), markup=False)
    _show_steps(shown)
    if shown.shows:
        out.print("\nboth were run again: they still differ", style="red")
        if shrink:
            out.print(f"\n{smaller(divergence).save(file.parent)}", markup=False)
        raise typer.Exit(Exit.DIFFERENT)
    out.print("\nboth were run again: they agree now", style="green")


def _show_steps(shown: Replay) -> None:
    if shown.mismatch:
        out.print(f"\n{shown.mismatch}", markup=False)
    if not shown.steps:
        return
    table = Table(title="\nrun again", title_justify="left")
    for column in ("step", "action", "field", "reference", "twin"):
        table.add_column(column)
    if first := shown.steps[0].step:
        out.print(f"\nthe first {first:,} steps are left out", markup=False)
    for step in shown.steps:
        index = step.step
        if step.raised:
            table.add_row(str(index), str(step.action), "step", "an answer", step.raised)
        for name, expected in step.reference.items():
            got = step.twin.get(name)
            if got is None:
                continue
            differs = any(m.field.partition("[")[0] == name for m in step.differ)
            style = "red" if differs else ""
            table.add_row(str(index), str(step.action), name, str(expected), str(got), style=style)
    out.print(table)


def _refuse_what_does_not_fit(name: str | None, backend: str | None, pair: PairOptions) -> None:
    """Reject anything but a room, or a reference and a twin."""
    if name is not None and (pair.reference or pair.twin):
        raise EnvwrightError("give either an environment of the zoo, or --reference and --twin")
    if name is None and not (pair.reference and pair.twin):
        raise EnvwrightError(
            f"say what to verify: a name like {demo_room().id}, or --reference and --twin"
        )
    if name is None and backend is not None:
        raise EnvwrightError("--backend is for an environment of the zoo, not for --twin")


def _refuse_options_of_a_single(asked: LevelOptions, executor: str, terminal: bool) -> None:
    """Reject options that the vector form, which has its own levels and policies, ignores."""
    given = {
        "--levels": asked.levels != ALL_LEVELS,
        "--policy": asked.policy,
        "--executor": executor != "serial",
        "--include-terminal": terminal,
    }
    for option in [option for option, value in given.items() if value]:
        raise EnvwrightError(f"{option} does not go with --vector; leave it out")


def _refuse_options_of_a_pair(name: str, pair: PairOptions, margin: float | None) -> None:
    """Reject options that a room's translation.toml decides."""
    given = {
        "--bridge": pair.bridge,
        "--atol or --ulp": pair.tolerances,
        "--include-terminal": pair.include_terminal,
        "--margin": margin,
    }
    for option in [option for option, value in given.items() if value]:
        raise EnvwrightError(
            f"{option} is for --reference and --twin; {name} has its own in translation.toml"
        )


def _refuse_options_of_transfer(effort: Effort) -> None:
    """Reject options of level 4 without level 4."""
    asked = effort.transfer
    given = {"--policies": asked.policies, "--margin": asked.margin, "--set": asked.settings}
    for option in [option for option, value in given.items() if value]:
        if 4 not in effort.levels:
            raise EnvwrightError(f"{option} is for level 4; add --levels 4, or leave it out")


def read_levels(text: str) -> tuple[int, ...]:
    """Parse `1,2,3`."""
    try:
        levels = sorted(int(part) for part in text.split(","))
    except ValueError as error:
        raise EnvwrightError(f"--levels takes numbers such as 1,2,3, not {text!r}") from error
    if len(set(levels)) < len(levels):
        raise EnvwrightError(f"--levels {text} names a level twice; name each once")
    return tuple(levels)


def _tolerances(atols: list[str], ulps: list[str]) -> Tolerances | None:
    """Parse `1e-5` for all floats, `FIELD=1e-5` for one; None without any."""
    asked: dict[str, dict[str, float]] = {}
    for option, kind, texts in (("--atol", "atol", atols), ("--ulp", "ulp", ulps)):
        for text in texts:
            name, _, number = text.rpartition("=")
            try:
                value = float(number) if kind == "atol" else int(number)
            except ValueError as error:
                wanted = f"{option} takes a number or FIELD=number, not {text!r}"
                raise EnvwrightError(wanted) from error
            asked.setdefault(name or "*", {})[kind] = value
    if not asked:
        return None
    fields = {name: Tol(**numbers, why=ASKED) for name, numbers in asked.items()}  # type: ignore[arg-type]
    return Tolerances(fields.pop("*", Tol()), fields)


def _vector_spec(name: str, backend: str | None, pair: PairOptions) -> PairSpec:
    check = load_room(name, backend).everyday_check
    bridge, tolerances = pair.bridge or check.bridge, pair.tolerances or check.tolerances
    return PairSpec(check.reference, check.twin, bridge, tolerances)
