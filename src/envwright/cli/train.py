"""`envwright train` and `envwright play`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TimeElapsedColumn
from rich.table import Table

from envwright.bench.machine import describe_machine
from envwright.cli.listing import JsonFile
from envwright.cli.next_steps import suggest_after
from envwright.cli.room_options import RoomOptions, named_room, room_name, with_room_options
from envwright.cli.settings import Settings, split_settings
from envwright.cli.show import err, from_here, out, plain_column, problem
from envwright.cli.stored import Store
from envwright.core import limits
from envwright.core.files import check_target, write_bytes
from envwright.core.outside_rooms import FOLDERS, folder_of, package_in
from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name, split_options
from envwright.schema.training_run import RUN
from envwright.sim.registered import is_registered


def train(
    name: Annotated[
        str,
        typer.Argument(
            help="An environment, or a translation's folder; options: 'pong?frame_skip=1'.",
            callback=room_name,
        ),
    ],
    backend: Annotated[
        str | None, typer.Option(help="jax, rust, …, or reference (the slow original).")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, max=limits.STEPS, help="Environment steps for each seed.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=limits.AGENTS, help="Number of agents to train side by side.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, max=limits.SEED, help="The first seed.")] = 0,
    network: Annotated[
        str | None,
        typer.Option(help="Layers: 64x64 or 32@8/4x64@4/2x256; or 2M, 20M, 200M parameters."),
    ] = None,
    settings: Settings = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Folder of the run: checkpoints, log, policies.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run in --checkpoint.")
    ] = False,
    every: Annotated[
        float, typer.Option(min=0, max=limits.SECONDS, help="Seconds between checkpoints.")
    ] = 30.0,
    devices: Annotated[
        int | None, typer.Option(min=1, help="Number of devices to divide the environments among.")
    ] = None,
    distributed: Annotated[
        bool,
        typer.Option("--distributed", help="Join the other hosts of a cluster that JAX knows."),
    ] = False,
    coordinator: Annotated[str | None, typer.Option(help="HOST:PORT of process 0.")] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=limits.HOSTS, help="Number of processes.")
    ] = None,
    process: Annotated[
        int | None, typer.Option(min=0, max=limits.HOSTS - 1, help="Index of this process, from 0.")
    ] = None,
    json: JsonFile = None,
) -> None:
    """Train PPO agents; JAX environments are fused with it, all others step on the host."""
    from jax import process_index

    from envwright.sim.targets import simulator_name
    from envwright.train import Keeping, RunSpec
    from envwright.train import train as run
    from envwright.train.devices import join_hosts, make_mesh
    from envwright.train.settings import settings_for

    check_target(json)
    given: dict[str, Any] = split_settings(settings)
    given |= {k: v for k, v in (("steps", steps), ("network", network)) if v is not None}
    simulator = simulator_name(name, backend)
    name, _ = split_options(name)
    config = settings_for(name, given)
    spec = RunSpec(simulator, config, tuple(range(seed, seed + seeds)))
    several = distributed or any(x is not None for x in (coordinator, processes, process))
    if several:
        join_hosts(coordinator, processes, process)
    mesh = make_mesh(devices) if several or devices is not None else None
    machine, store = describe_machine(), Store(json)
    with watching(spec) as watch:
        result = run(spec, Keeping(checkpoint, resume, every), mesh=mesh, watch=watch, warn=problem)
    if several and process_index() > 0:
        return  # the first process prints for all
    out.print(_table(result))
    if checkpoint is not None:
        trust = "" if is_registered(spec.simulator) else " --trust"
        play = f"envwright play {shlex.quote(str(checkpoint))} -o play.webp{trust}"
        folder = folder_of(find(name))
        opening = "" if folder is None else f"{FOLDERS}={shlex.quote(from_here(folder))} "
        out.print(f"  kept in {checkpoint}: {opening}{play}", markup=False)
    record = result.record(find(name).id, backend or find(name).default_backend)
    record.machine = machine
    store(record)


@with_room_options("play")
def play(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER_OR_NAME",
            help="A run (train --checkpoint), or an environment or the folder of a translation.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", "--record", help="A .webp or .gif.")
    ] = Path("play.webp"),
    seed: Annotated[int, typer.Option(min=0, max=limits.SEED, help="Seed of the episode.")] = 0,
    agent: Annotated[int, typer.Option(min=0, help="Index of the agent, from 0.")] = 0,
    steps: Annotated[
        int, typer.Option(min=1, max=limits.SHOWN_STEPS, help="Maximum number of steps.")
    ] = 500,
    trust: Annotated[
        bool, typer.Option("--trust", help="Also run a simulator that only the run names.")
    ] = False,
    json: JsonFile = None,
    *,
    own: RoomOptions,
) -> None:
    """Record an episode of a trained agent, or of random actions in an environment."""
    from envwright.train.play import check_format
    from envwright.train.untrained import play_random

    check_target(output)
    check_format(output.suffix)
    store = Store(json)
    name = None if _is_run(what) else room_name(what)
    bare, options = split_options(name) if name is not None else ("", {})
    room = None if name is None else named_room(bare)
    own.check(room)
    player = room.module("play") if room else None
    if player is not None:
        episode = player.play(own.given, seed, steps)
    elif room is not None:
        episode = play_random(room, options, seed, steps)
    else:
        episode = _trained_episode(Path(what), agent, seed, steps, trust)
    write_bytes(output, episode.animation(output.suffix))
    out.print(f"  {episode.caption}: {output}", markup=False)
    store(episode.record(output.name))
    suggest_after("play", room or named_room(_played(episode.simulator)))


def _played(simulator: str) -> str:
    """Return the name of the environment behind a simulator of ours; empty for others."""
    name = parse_name(simulator)
    return name.target if name.scheme == "envwright" else ""


def _is_run(what: str) -> bool:
    """Return whether this is the folder of a run, or a folder of nothing else."""
    folder = Path(what)
    if (folder / RUN).is_file():
        return True
    return folder.is_dir() and package_in(folder) is None and named_room(what) is None


def _trained_episode(folder: Path, agent: int, seed: int, steps: int, trust: bool) -> Any:
    from envwright.train.play import play_episode
    from envwright.train.run import policy_files, read_runnable

    spec = read_runnable(folder, trust)
    files = policy_files(folder)
    if not files:
        raise EnvwrightError(f"{folder} has no policies yet; let the run come to its end")
    return play_episode(spec.simulator, files[-1], agent, seed, steps)


@contextmanager
def watching(spec: Any) -> Iterator[Any]:
    """Show a bar with steps/s and return on a terminal, or else a line at intervals."""
    said = 0

    def shown(line: dict[str, Any]) -> str:
        known = [value for value in line["return"] if value is not None]
        mean = f"return {sum(known) / len(known):.1f}" if known else "no episode ended"
        return f"{line['steps_per_second']:,.0f} steps/s, {mean}"

    if not err.is_terminal:

        def tell(line: dict[str, Any], updates: int) -> None:
            nonlocal said
            tenth = 10 * line["update"] // updates
            if tenth > said:
                said = tenth
                err.print(f"  {line['steps']:,} steps: {shown(line)}", markup=False)

        yield tell
        return
    columns = (plain_column("description"), BarColumn(), plain_column("fields[told]"))
    with Progress(*columns, TimeElapsedColumn(), console=err, transient=True) as bars:
        agents = f", {len(spec.seeds)} seeds" if len(spec.seeds) > 1 else ""
        task = bars.add_task(f"training{agents}", total=spec.config.updates, told="compiling")

        def move(line: dict[str, Any], updates: int) -> None:
            bars.update(task, completed=line["update"], told=shown(line))

        yield move


def _table(result: Any) -> Table:
    config = result.spec.config
    title = (
        f"{result.spec.simulator}: {config.updates * config.batch:,} steps a seed, "
        f"{result.parameters:,} parameters, {result.steps_per_second:,.0f} steps/s"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("seed")
    table.add_column("mean return of the last tenth", justify="right")
    known = []
    for seed, value in zip(result.spec.seeds, result.returns, strict=True):
        table.add_row(str(seed), "no episode ended" if value is None else f"{value:.1f}")
        known += [] if value is None else [value]
    if len(known) > 1:
        table.add_row("mean", f"{sum(known) / len(known):.1f}", style="bold")
    return table
