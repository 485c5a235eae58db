"""`envwright bench`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envwright.cli.listing import JsonFile
from envwright.cli.next_steps import suggest_after
from envwright.cli.room_options import RoomOptions, room_name, with_room_options
from envwright.cli.show import out, progress
from envwright.cli.stored import Store
from envwright.core.files import make_folder
from envwright.core.registry import demo_room, find
from envwright.errors import EnvwrightError

if TYPE_CHECKING:
    from envwright.bench.jobs import Job
    from envwright.schema.results import Stored

RESULTS = Path("benchmarks")


@with_room_options("bench")
def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            help="An environment, or the folder of a translation; by default the demo's.",
            callback=room_name,
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="random, rollout, ppo (or -gru), breakdown, or several: random,ppo."),
    ] = None,
    rollout: Annotated[bool, typer.Option("--rollout", help="Same as --kind rollout.")] = False,
    ppo: Annotated[bool, typer.Option("--ppo", help="Same as --kind ppo.")] = False,
    breakdown: Annotated[
        bool,
        typer.Option("--breakdown", help="Same as --kind breakdown: where the time of PPO goes."),
    ] = False,
    batch: Annotated[
        str, typer.Option(help="Batch sizes, for instance 64,8192.")
    ] = "32,128,512,2048,8192",
    sizes: Annotated[str, typer.Option(help="Networks of a breakdown.")] = "64x64,2M,20M,200M",
    memory: Annotated[
        bool, typer.Option("--memory", help="Also measure bytes per environment and peak memory.")
    ] = False,
    repeats: Annotated[int, typer.Option(help="Number of measurements of each.")] = 5,
    seconds: Annotated[float, typer.Option(help="Seconds of one measurement.")] = 0.5,
    json: JsonFile = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Run all kinds, with memory, and write a file for each.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help=f"Folder for --all; {RESULTS} by default.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --all: skip existing files.")
    ] = False,
    *,
    own: RoomOptions,
) -> None:
    """Measure steps per second of ours, the reference and the peers, alternating in one run."""
    from envwright.bench.jobs import Effort, all_jobs, jobs_of

    asked = [*_parts(kind)] + ["rollout"] * rollout + ["ppo"] * ppo + ["breakdown"] * breakdown
    effort = Effort(_batches(batch), _parts(sizes), repeats, seconds, memory or everything)
    effort.check()
    if everything:
        if asked or own.given or json is not None:
            raise EnvwrightError("--all runs every kind and writes a folder; give it or a kind")
        _run_all(all_jobs(name, effort), results or RESULTS, resume)
        return
    if results is not None or resume:
        raise EnvwrightError("--results and --resume go with --all; a single file is --json")
    room = find(name) if name else demo_room()
    own.check(room)
    options = {k: str(v) if isinstance(v, Path) else v for k, v in own.given.items()}
    store, found = Store(json), []
    for job in jobs_of(room.name, asked or ["random"], effort, options):
        found.append(_run(job, json))
        store(*found)  # an interrupted run keeps what is finished
    suggest_after("bench", room)


def _run(job: Job, target: Path | None) -> Stored:
    """Measure and print; return the result with the command that makes it again."""
    from envwright.bench.tables import result_table

    what = job.name
    with progress() as told:
        result = job.run(lambda _, done, total: told(what, done, total))
    out.print(result_table(result))
    result.command = job.command(target)
    return result


def _run_all(jobs: list[Job], folder: Path, resume: bool) -> None:
    """Run all jobs, and write a file for each when it is finished: every file is complete."""
    make_folder(folder)
    for number, job in enumerate(jobs, start=1):
        target = folder / f"{job.name}.json"
        if resume and target.exists():
            out.print(f"[{number}/{len(jobs)}] {target}: kept", markup=False)
            continue
        out.print(f"[{number}/{len(jobs)}] {target}", markup=False)
        store = Store(target)
        store(_run(job, target))


def _parts(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",")) if text else ()


def _batches(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise EnvwrightError(f"--batch takes numbers such as 64,8192, not {text!r}") from error
