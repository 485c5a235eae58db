"""`envwright optimise` and `envwright ablate`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from envwright.agents.base import Agent as AnAgent
from envwright.agents.choose import choose_agent
from envwright.cli.export import write
from envwright.cli.listing import JsonFile
from envwright.cli.options import (
    Agent,
    Command,
    Endpoint,
    Mailbox,
    Model,
    Prices,
    Trust,
    Unsafe,
    Who,
)
from envwright.cli.recipe import (
    agent_request,
    caps,
    recorded,
    require_sandbox,
    require_trust,
    say,
    say_jail,
    with_budget,
)
from envwright.cli.room_options import named_room
from envwright.cli.show import out, progress
from envwright.cli.stored import Store
from envwright.core import limits
from envwright.core.limits import check_whole
from envwright.errors import EnvwrightError, Exit
from envwright.schema.recording import RecordedOptimisation
from envwright.schema.results import Ablation, Round
from envwright.translate.spec import TranslationSpec, load_spec

if TYPE_CHECKING:
    from envwright.translate.optimise import Optimisation

ENDS = {"done": Exit.EQUAL, "budget": Exit.BUDGET, "agent": Exit.AGENT_FAILED}


def _with_runs(folder: Path) -> Path:
    """Reject an installed translation, which comes without the run that wrote it."""
    room = None if folder.exists() else named_room(str(folder))
    if room is not None:
        raise EnvwrightError(
            f"{room.id} is installed without the run that wrote it; name the folder in which "
            f"envwright translate wrote it, and pip install its package again afterwards"
        )
    return folder


def optimise(
    folder: Annotated[
        Path, typer.Argument(help="A folder with a verified run.", callback=_with_runs)
    ],
    agent: Agent,
    command: Command = None,
    model: Model = None,
    endpoint: Endpoint = None,
    prices: Prices = None,
    mailbox: Mailbox = None,
    who: Who = None,
    rounds: Annotated[
        int, typer.Option(min=1, max=limits.REPEATS, help="Maximum number of changes to try.")
    ] = 5,
    batches: Annotated[str, typer.Option(help="Batch sizes of the race.")] = "32,128,512,2048,8192",
    repeats: Annotated[
        int, typer.Option(min=3, max=limits.REPEATS, help="Repeats of the race at each batch.")
    ] = 5,
    budget: Annotated[float | None, typer.Option(help="Maximum dollars.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Maximum minutes of work.")] = None,
    trust: Trust = False,
    unsafe: Unsafe = False,
    json: JsonFile = None,
) -> None:
    """Make a verified translation faster; only what is faster and still equal is kept.

    It goes on where it was stopped. Exit 0 also if nothing was faster, 4 budget reached, 6 the
    agent failed. With --agent replay the recorded changes are made again, all of them; what is
    kept is decided by the race on this machine.
    """
    from envwright.translate.optimise import TIRED, Optimisation
    from envwright.translate.run import Reporter
    from envwright.translate.stored_runs import last_run, open_run

    store = Store(json, folder)
    sizes = _batches(batches)
    asked = agent_request(agent, command, model, endpoint, prices, who, unsafe)
    caps(budget, None, None, minutes)
    require_sandbox(unsafe)
    say_jail(not unsafe)
    spec = load_spec(folder)
    recording = recorded(agent, spec.folder, RecordedOptimisation)
    require_trust(agent, spec, trust)
    found = last_run(spec, ended="verified")
    if found is None:
        first = f"envwright translate {folder} --agent {agent}"
        raise EnvwrightError(f"{folder} has no verified run; first {first}")
    run = open_run(found)
    letters = mailbox or found / "optimise" / "mailbox"
    run = type(run)(run.folder, with_budget(run.spec, budget, None, None, minutes), run.journal)
    # A recording is replayed in full, whatever its changes gain here.
    whole = len(recording.turns) if recording else None
    with progress() as told:
        work = Optimisation(
            run,
            choose_agent(replace(asked, recording=recording, mailbox=letters)),
            confined=not unsafe,
            batches=sizes,
            repeats=repeats,
            reporter=Reporter(say, told),
            rounds=whole or rounds,
            tired=whole or TIRED,
        )
        if recording:
            _must_be_untouched(work)
        history = work.go()
    out.print(_table(f"{spec.id}: {work.gain:.2f} × as fast as before", history))
    if recording:
        say(_against(recording, history))
    say(f"the code is in {work.folder / 'workspace' / 'src'}")
    store(work.record())
    if any(change.kept for change in history):
        _package_again(spec, found, not unsafe)
    raise typer.Exit(ENDS[work.outcome])


def _package_again(spec: TranslationSpec, run: Path, confined: bool) -> None:
    """Replace the package by one with the faster code, if the translation has one."""
    from envwright.translate.package import is_ours, place_for
    from envwright.translate.stored_runs import open_run

    place = place_for(spec, None)
    if is_ours(place):
        write(open_run(run), place, confined)
    else:
        say(f"a package of it: envwright export {shlex.quote(str(spec.folder))}")


def _must_be_untouched(work: Optimisation) -> None:
    """Require a fresh run: recorded rounds begin with the verified code."""
    agents = {begun["agent"]["kind"] for begun in work.journal.of("begun")}
    if work.history and agents != {"replay"}:
        again = f"envwright translate {work.spec.folder} --agent replay"
        raise EnvwrightError(f"run {work.run.id} was optimised already; make another with {again}")


def _table(title: str, history: list[Round]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for column in ("round", "change", "gain", "above (95 %)", "kept", "why"):
        table.add_column(column)
    for change in history:
        measured = ["-" if x is None else f"{x:.3f}" for x in (change.gain, change.low)]
        kept = "yes" if change.kept else "no"
        # The agent's words are not markup.
        said, why = Text(change.said), Text(change.verdict)
        table.add_row(str(change.round), said, *measured, kept, why)
    return table


def _against(recording: RecordedOptimisation, history: list[Round]) -> str:
    """Compare the rounds with the recorded ones."""
    rows = list(zip(history, recording.turns, strict=False))
    other = [change.round for change, then in rows if change.kept != then.kept]
    machine = recording.about.get("machine", "another machine")
    said = (
        f"recorded on {machine}: {recording.about['gain']:.2f} × as fast. What is kept is decided "
        "by the race on this machine: "
    )
    if not other:
        return said + f"all {len(rows)} rounds came out as recorded"
    numbers = ", ".join(map(str, other))
    return said + f"round {numbers} came out differently than recorded"


def ablate(
    folder: Annotated[Path, typer.Argument(help="A folder with translation.toml.")],
    agent: Agent,
    command: Command = None,
    model: Model = None,
    endpoint: Endpoint = None,
    prices: Prices = None,
    mailbox: Mailbox = None,
    who: Who = None,
    runs: Annotated[int, typer.Option(min=1, max=limits.REPEATS, help="Runs of each arm.")] = 3,
    budget: Annotated[float | None, typer.Option(help="Maximum dollars per run.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Maximum number of turns per run.")] = None,
    trust: Trust = False,
    unsafe: Unsafe = False,
    json: JsonFile = None,
) -> None:
    """Compare all levels with level 3 alone, for the same agent. Finished runs are not repeated."""
    from envwright.translate.ablate import ablate as run_ablation
    from envwright.translate.ablate import summarise
    from envwright.translate.run import Reporter

    store = Store(json, folder)
    asked = agent_request(agent, command, model, endpoint, prices, who, unsafe)
    require_sandbox(unsafe)
    say_jail(not unsafe)
    spec = with_budget(load_spec(folder), budget, None, iterations, None)
    require_trust(agent, spec, trust)

    def agent_for(place: Path) -> AnAgent:
        letters = (mailbox / place.name) if mailbox else place / "mailbox"
        recording = recorded(agent, folder / "recordings" / place.name)
        return choose_agent(replace(asked, recording=recording, mailbox=letters))

    with progress() as told:
        trials = run_ablation(
            spec,
            agent_for,
            folder / "ablation",
            runs=runs,
            confined=not unsafe,
            reporter=Reporter(say, told),
        )
    table = Table(title=f"{spec.id}: {runs} runs of each arm", title_justify="left")
    columns = ("arm", "verified", "share (95 %)", "wrong by all levels", "turns", "tokens")
    for column in (*columns, "dollars", "seconds"):
        table.add_column(column)
    arms = summarise(trials)
    for row in arms:
        share = f"{row.verified_interval[0]:.0%} .. {row.verified_interval[1]:.0%}"
        numbers = (
            _interval(row.turns, ".1f"),
            _interval(row.tokens, ",.0f"),
            _interval(row.dollars, ".4f"),
            _interval(row.seconds, ".0f"),
        )
        table.add_row(row.arm, f"{row.verified} of {row.runs}", share, str(row.wrong), *numbers)
    out.print(table)
    store(Ablation(env=spec.id, arms=arms, trials=trials))


def _interval(values: tuple[float, float, float], shape: str) -> str:
    mean, low, high = (format(value, shape) for value in values)
    return mean if low == high else f"{mean} ({low} .. {high})"


def _batches(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise EnvwrightError(f"--batches takes numbers such as 32,512, not {text!r}") from error
    check_whole("a batch", min(sizes), 1, limits.LANES)
    check_whole("a batch", max(sizes), 1, limits.LANES)
    return sizes
