"""`envwright translate`, `runs` and `record`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from envwright.agents.choose import DEFAULT, AgentRequest, choose_agent, named
from envwright.cli.both import BOTH, agents_for, compare, part_of
from envwright.cli.export import write
from envwright.cli.options import (
    Agent,
    Command,
    Dollars,
    Endpoint,
    Hardware,
    Iterations,
    Levels,
    Mailbox,
    Minutes,
    Model,
    NoBench,
    PackageName,
    Prices,
    Tests,
    Tokens,
    Trust,
    Unsafe,
    Who,
)
from envwright.cli.proposed import Wishes, is_there, spec_of
from envwright.cli.recipe import (
    agent_request,
    caps,
    is_confined,
    recorded,
    require_trust,
    say,
    say_jail,
    with_caps,
)
from envwright.cli.show import out, problem, progress
from envwright.cli.verify import read_levels
from envwright.core.files import check_folder
from envwright.errors import EnvwrightError
from envwright.translate.package import place_for
from envwright.translate.spec import TranslationSpec

if TYPE_CHECKING:
    from envwright.translate.plan import Finish
    from envwright.translate.run import Base, Run


def translate(
    what: Annotated[str, typer.Argument(help="A folder with translation.toml, or a simulator.")],
    agent: Agent = DEFAULT,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The folder to create for a simulator, or for the package."
        ),
    ] = None,
    name: PackageName = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="jax, rust, or both, which are then compared with each other.",
            show_default="what suits agent and environment",
        ),
    ] = None,
    hardware: Hardware = None,
    command: Command = None,
    model: Model = None,
    endpoint: Endpoint = None,
    prices: Prices = None,
    mailbox: Mailbox = None,
    who: Who = None,
    levels: Levels = None,
    budget: Dollars = None,
    tokens: Tokens = None,
    iterations: Iterations = None,
    minutes: Minutes = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the last run.")] = False,
    tests: Tests = None,
    base: Annotated[
        str | None, typer.Option(help="Begin with the code of a verified run; judge all of it.")
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option(help="With --base: a module that is translated again all the same."),
    ] = None,
    hint: Annotated[
        Path | None, typer.Option(help="A text for the agent, as part of every prompt.")
    ] = None,
    no_bench: NoBench = False,
    trust: Trust = False,
    unsafe: Unsafe = False,
) -> None:
    """Translate an environment with a coding agent until it is verified.

    Exit 0 verified, 3 level 4 inconclusive, 4 budget reached, 5 a person is needed, 6 the agent
    failed. Everything is kept; --resume continues.
    """
    from envwright.translate.run import EXITS
    from envwright.translate.users_tests import check_tests

    # Check everything possible before surveying a simulator and writing a folder.
    order = _Order(
        agent,
        agent_request(agent, command, model, endpoint, prices, who, unsafe),
        caps(budget, tokens, iterations, minutes),
        None if levels is None else read_levels(levels),
        is_confined(named(agent), unsafe),
        mailbox,
        resume,
        tests,
        not no_bench,
        trust,
        base,
        tuple(again or ()),
        hint,
    )
    if tests is not None:
        check_tests(tests)
    wishes = Wishes(output, name, target, hardware)
    if target != BOTH:
        finish, _ = _translated(what, wishes, order)
        raise typer.Exit(EXITS[finish.outcome])
    if base is not None:
        raise EnvwrightError(f"--base has the code of one target; leave out --target {BOTH}")
    places = []
    for backend, agents in agents_for(what, agent).items():
        say(f"{backend}, by {agents}")
        finish, place = _translated(what, part_of(what, wishes, backend), order.by(agents))
        if finish.outcome != "verified":
            raise typer.Exit(EXITS[finish.outcome])
        places.append(place)
    raise typer.Exit(compare(*places))


@dataclass(frozen=True)
class _Order:
    """What the command line asks of every translation that it makes."""

    agent: str
    request: AgentRequest
    caps: dict[str, float]
    levels: tuple[int, ...] | None
    confined: bool
    mailbox: Path | None
    resume: bool
    tests: Path | None
    measure: bool
    trust: bool
    base: str | None
    again: tuple[str, ...]
    hint: Path | None

    def by(self, agents: str) -> _Order:
        """Return the same order for some of the agents."""
        return replace(self, agent=agents, request=replace(self.request, name=agents))


def _translated(what: str, wishes: Wishes, order: _Order) -> tuple[Finish, Path]:
    """Translate a folder or a simulator; return how it ended and where the package is."""
    from envwright.translate.job import job_of
    from envwright.translate.run import Reporter, Run
    from envwright.translate.run.turns import keep_hint
    from envwright.translate.stored_runs import last_run, new_run, open_run
    from envwright.translate.users_tests import check_tests

    made = not is_there(what)
    spec = with_caps(spec_of(what, wishes, order.agent), order.caps)
    place = place_for(spec, wishes.output, made)
    recording = recorded(order.agent, spec.folder)
    require_trust(order.agent, spec, order.trust)
    # Another seed or level might need other turns than the recorded ones.
    about = recording.about if recording else {}
    told = about.get("levels")
    wanted = _levels(read_levels(told) if order.levels is None and told else order.levels, spec)
    folder, tests = new_run(spec), order.tests
    given = _base(order.base, order.again, spec, order.resume)
    if order.resume:
        found = last_run(spec)
        if found is None:
            raise EnvwrightError(f"{spec.folder} has no run to resume; leave out --resume")
        folder = found
        wanted = wanted if order.levels is not None else open_run(folder).levels
        tests = tests or open_run(folder).tests
    mailbox = order.mailbox / folder.name if order.mailbox else folder / "mailbox"
    request = replace(
        order.request,
        recording=recording,
        job=job_of(spec) if "compiler" in named(order.agent) else None,
        mailbox=mailbox,
    )
    if tests is not None:
        check_tests(tests)
        spec = replace(spec, tests=tests.resolve())
    if order.hint is not None:
        keep_hint(order.hint, folder)
    say(f"run {folder}")
    say_jail(order.confined)
    with progress() as reported:
        run = Run(
            folder,
            spec,
            choose_agent(request),
            wanted,
            confined=order.confined,
            reporter=Reporter(say, reported),
            seed=about.get("seed"),
            base=given,
        )
        finish = run.go()
    _show_outcome(run, finish)
    if finish.outcome == "verified":
        write(open_run(folder), place, order.confined, order.measure)
    return finish, place


def runs(
    folder: Annotated[Path, typer.Argument(help="Folder to search.")] = Path("."),
) -> None:
    """List the runs of the recipe below a folder, with recorded ones."""
    from envwright.translate.listing import Unreadable, all_rows

    table = Table()
    for column in ("run", "environment", "agent", "turns", "repairs", "tokens", "dollars", "ended"):
        table.add_column(column)
    rows = all_rows(folder)
    for row in rows:
        if isinstance(row, Unreadable):
            table.add_row(Text(row.name), *["-"] * 6, "damaged")
            continue
        known = (f"{row.usage.tokens:,}", f"{row.usage.dollars:.4f}")
        cost = known if row.usage.tokens else ("-", "-")
        table.add_row(
            Text(row.name),
            row.env,
            Text(row.agent),
            str(row.turns),
            str(row.repairs),
            *cost,
            row.ended,
        )
    out.print(table)
    for row in rows:
        if isinstance(row, Unreadable):
            problem(row.reason)


def record(
    run: Annotated[str, typer.Argument(help="A run's id or folder.")],
    folder: Annotated[Path, typer.Argument(help="Folder for the recording.")],
    about: Annotated[list[str] | None, typer.Option(help="KEY=TEXT, for instance by=….")] = None,
    optimisation: Annotated[
        bool,
        typer.Option(
            "--optimisation", help="Only write the optimisation rounds, beside its recording."
        ),
    ] = False,
) -> None:
    """Record a run, so that --agent replay can repeat it anywhere.

    Rounds of optimisation after the run are kept beside it, for `optimise --agent replay`.
    """
    from envwright.translate.keep import keep_optimisation, keep_recording
    from envwright.translate.stored_runs import as_damage, find_run

    pairs = {key: text for key, _, text in (pair.partition("=") for pair in about or [])}
    check_folder(folder)
    found = find_run(run, Path("."))
    keep = keep_optimisation if optimisation else keep_recording
    with as_damage(found.folder):
        for path in keep(found, folder, pairs):
            out.print(f"{path}", markup=False)


def _levels(wanted: tuple[int, ...] | None, spec: TranslationSpec) -> tuple[int, ...]:
    """Return the requested levels. Raises if the specification does not allow one."""
    if wanted is None:
        return spec.levels
    beyond = [level for level in wanted if level not in spec.levels]
    if beyond == [4]:
        raise EnvwrightError(f"level 4 needs a margin: write [l4] in {spec.path}")
    if beyond or not wanted:
        known = ",".join(map(str, spec.levels))
        raise EnvwrightError(f"there is no level {beyond[0]} here; choose from {known}")
    return wanted


def _base(
    run: str | None, again: tuple[str, ...], spec: TranslationSpec, resume: bool
) -> Base | None:
    """Return the code to begin with. Raises for options that do not go together."""
    from envwright.translate.run.base import base_of
    from envwright.translate.stored_runs import find_run

    if run is None:
        if again:
            raise EnvwrightError("--again goes with --base, which names a verified run; add it")
        return None
    if resume:
        raise EnvwrightError("--base begins a new run; leave out --resume")
    return base_of(find_run(run, Path(".")), spec, again)


def _show_outcome(run: Run, finish: Finish) -> None:
    at = run.position
    cost = f"{at.usage.tokens:,} tokens, ${at.usage.dollars:.4f}"
    say(f"{finish.outcome}: {finish.reason}" if finish.reason else finish.outcome)
    say(f"{at.turns} turns, {cost}, {at.seconds:.0f} s; the code is in {run.code}")
    if finish.outcome == "human":
        out.print(f"the details are in {run.folder / 'human.md'}", markup=False)
    if finish.outcome != "verified":
        out.print("--resume goes on", markup=False)
