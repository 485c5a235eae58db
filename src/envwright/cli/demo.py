"""`envwright demo`: the whole workflow with default settings, in a few minutes."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import typer
from rich.panel import Panel

from envwright.cli.show import out, problem, progress
from envwright.cli.stored import Store
from envwright.cli.verify import show_report
from envwright.core.files import make_folder, write_bytes
from envwright.core.registry import demo_room, open_folder
from envwright.core.room import Demo, Room
from envwright.errors import EnvwrightError, Exit
from envwright.schema.results import Stored
from envwright.verify.pair import PairSpec
from envwright.verify.results import VerifyReport
from envwright.verify.run import Effort, verify_pair

KEEP = Path("demo")  # everything that the demo saves
RESULTS = KEEP / "results"  # the results for the report
TRANSLATION = KEEP / "translation"


def demo() -> None:
    """Translate with the compiler, verify, find the bug in a port, measure, train, and report."""
    room = demo_room()
    shows = room.demo
    assert shows is not None
    make_folder(RESULTS)
    package = _translate(room)
    if package is None:
        raise typer.Exit(Exit.DIFFERENT)
    ours = _verify_translation(room, shows)
    port = _verify_port(room, shows)
    _measure(package.id)
    _train(room, shows)
    page = _report()
    out.print(f"\nAll of it on one page: open {page.resolve()} in a browser.", markup=False)
    out.print(
        "Next: envwright translate gymnasium:Acrobot-v1, or see docs/compiler.md and "
        "docs/verify.md for your own environment.",
        markup=False,
    )
    found_it = port.exit_code == Exit.DIFFERENT
    raise typer.Exit(ours.exit_code if found_it else Exit.DIFFERENT)


def _translate(room: Room) -> Room | None:
    """Translate Gymnasium's own source with an agent that needs no model and no key.

    Return the room of the package if it was verified.
    """
    from envwright.agents.compiler import CompilerAgent
    from envwright.sandbox import why_not
    from envwright.translate.job import job_of
    from envwright.translate.package import export
    from envwright.translate.propose import write_proposal
    from envwright.translate.run import Reporter, Run
    from envwright.translate.spec import load_spec
    from envwright.translate.stored_runs import open_run

    _say(f"1. The compiler translates Gymnasium's {room.title} to JAX, and everything is verified")
    reason = why_not()
    if reason is not None:
        out.print(f"  no sandbox here ({reason}); the compiler's code is made of Gymnasium's own")
    _clear(TRANSLATION, room.reference)
    write_proposal(room.reference, TRANSLATION)
    spec = load_spec(TRANSLATION)
    with progress() as told:
        reporter = Reporter(lambda text: out.print(f"  {text}", markup=False), told)
        agent = CompilerAgent(job_of(spec))
        run = Run(TRANSLATION / "runs" / "demo", spec, agent, (1, 2, 3), reason is None, reporter)
        finish = run.go()
    if finish.outcome != "verified":
        out.print(f"  {finish.outcome}: the code is in {run.code}", markup=False)
        return None
    package = export(open_run(run.folder), TRANSLATION, reason is None)
    out.print(f"  verified: the package is in {package}", markup=False)
    return open_folder(package)


def _clear(folder: Path, simulator: str) -> None:
    """Remove the translation of an earlier demo. Raises if it is anything else."""
    from envwright.translate.folders import spec_for

    if not os.path.lexists(folder):
        return
    runs = [place.name for place in (folder / "runs").glob("*")]
    ours = not folder.is_symlink() and spec_for(simulator, folder) and runs in ([], ["demo"])
    if not ours:
        raise EnvwrightError(
            f"{folder} is there already, and is not of an earlier demo; run it in another folder"
        )
    shutil.rmtree(folder, ignore_errors=True)


def _verify_translation(room: Room, shows: Demo) -> VerifyReport:
    _say("2. In float64, is it the same bit for bit? (levels 1 to 3, no tolerance)")
    spec = PairSpec(room.reference, f"{shows.twin}?dtype=float64", include_terminal=True)
    with progress() as told:
        report = verify_pair(spec, effort=Effort(episodes=200), progress=told, keep=KEEP)
    show_report(report)
    _store("verify", report.record())
    return report


def _verify_port(room: Room, shows: Demo) -> VerifyReport:
    _say(f"3. Is Gymnasium's own JAX port ({shows.port.partition(':')[2]}) the same?")
    spec = PairSpec(room.reference, shows.port)
    with progress() as told:
        effort = Effort((1,), fuzzed=200, boundary=20)
        report = verify_pair(spec, effort=effort, progress=told, keep=KEEP)
    show_report(report)
    out.print(f"  {shows.fault}", markup=False)
    _store("verify-phys2d", report.record())
    return report


def _measure(name: str) -> None:
    from envwright.bench.tables import result_table
    from envwright.bench.throughput import run_bench

    _say("4. How fast is the translation, beside Gymnasium?")
    with progress() as told:
        result = run_bench(
            name,
            (1024, 8192),
            5,
            seconds=0.3,
            progress=lambda _, done, total: told("measurements", done, total),
        )
    out.print(result_table(result))
    _store("bench", result)


def _train(room: Room, shows: Demo) -> None:
    """Train for some seconds in the translation and in the reference; a longer run reaches 500."""
    from envwright.cli.train import watching
    from envwright.sim.targets import REFERENCE
    from envwright.train import Keeping, RunSpec, train
    from envwright.train.play import play_policies
    from envwright.train.settings import settings_for

    _say("5. Train PPO in both: the whole loop compiled, and around Gymnasium's from Python")
    for backend, simulator, seeds in (
        ("translation", shows.twin, 4),
        (REFERENCE, room.reference, 2),
    ):
        spec = RunSpec(
            simulator,
            settings_for(room.id, {"steps": 60_000}),
            tuple(range(seeds)),
        )
        with watching(spec) as watch:
            result = train(spec, Keeping(), watch=watch)
        record = result.record(room.id, backend)
        out.print(
            f"  {spec.simulator}: {seeds} agents, {result.steps_per_second:,.0f} steps/s, "
            f"return {record.final_return.mean:.0f} after {spec.config.steps:,} steps each",
            markup=False,
        )
        _store(f"train-{backend}", record)
        if backend == "translation":
            # Only the zoo's environment has pictures.
            episode = play_policies(replace(result.policies, simulator=f"envwright:{room.id}"))
            episode = replace(episode, simulator=spec.simulator)
            write_bytes(RESULTS / "play.webp", episode.animation(".webp"))
            _store("play", episode.record("play.webp"))


def _report() -> Path:
    from envwright.report import write_report
    from envwright.report.run_page import write_run_page

    _say("6. The report")
    write_run_page(KEEP / "translation.html", str(TRANSLATION / "runs" / "demo"))
    page = (KEEP / "translation.html").resolve()
    out.print(f"  the translation, turn by turn: {page}", markup=False)
    page = KEEP / "report.html"
    with progress() as told:
        made = write_report(page, RESULTS, told=told)
    for each in made.problems:
        problem(f"left out: {each}")
    return page


def _store(name: str, result: Stored) -> None:
    """Store a result for the report."""
    result.command = "envwright demo"
    Store(RESULTS / f"{name}.json")(result)


def _say(heading: str) -> None:
    out.print()
    out.print(Panel(heading, expand=False))
