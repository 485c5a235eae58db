"""`envwright translate`, `runs` and `record`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from envwright.agents.choose import NAMES, Wish, choose_agent
from envwright.cli.show import out, progress
from envwright.cli.verify import read_levels
from envwright.errors import EnvwrightError
from envwright.translate.spec import Budget, TranslationSpec, load_spec

if TYPE_CHECKING:
    from envwright.translate.plan import Finish
    from envwright.translate.run import Run

Agent = Annotated[str, typer.Option(help=f"Who translates: {', '.join(NAMES)}.")]
Command = Annotated[
    str | None, typer.Option(help="--agent command: a program that reads the prompt.")
]
Model = Annotated[str | None, typer.Option(help="The model of the agent's CLI.")]
Endpoint = Annotated[str | None, typer.Option(help="Another endpoint than the vendor's.")]
Prices = Annotated[Path | None, typer.Option(help="A price table that goes before ours.")]
Mailbox = Annotated[Path | None, typer.Option(help="--agent mailbox: its folder.")]
Who = Annotated[str | None, typer.Option(help="--agent mailbox: who answers.")]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Run agent and code without a sandbox.")]


def translate(
    what: Annotated[str, typer.Argument(help="A folder with translation.toml, or a simulator.")],
    agent: Agent = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The folder to make for a simulator.")
    ] = None,
    command: Command = None,
    model: Model = None,
    endpoint: Endpoint = None,
    prices: Prices = None,
    mailbox: Mailbox = None,
    who: Who = None,
    levels: Annotated[str | None, typer.Option(help="Which levels; for ablations.")] = None,
    budget: Annotated[float | None, typer.Option(help="Dollars, at most.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Tokens, at most.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Turns of the agent, at most.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Minutes of work, at most.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last run.")] = False,
    unsafe: Unsafe = False,
) -> None:
    """Translate an environment with a coding agent until it is verified.

    Exit 0 verified, 3 level 4 inconclusive, 4 budget reached, 5 a person is needed, 6 the agent
    failed. Everything is kept: --resume goes on.
    """
    from envwright.translate.run import EXITS, Run, Talk
    from envwright.translate.start import last_run, new_run, open_run

    spec = with_budget(_spec(what, output), budget, tokens, iterations, minutes)
    if not agent:
        raise EnvwrightError(f"say who translates: --agent {', '.join(NAMES)}")
    asked = levels or _recorded(agent, spec, "levels")
    wanted = _levels(asked, spec)
    require_sandbox(unsafe)
    folder = new_run(spec)
    if resume:
        found = last_run(spec)
        if found is None:
            raise EnvwrightError(f"{spec.folder} has no run to resume; leave out --resume")
        folder = found
        wanted = wanted if levels else open_run(folder).levels
    wish = Wish(
        agent,
        command=command,
        model=model,
        endpoint=endpoint,
        prices=prices,
        recording=spec.folder,
        mailbox=mailbox / folder.name if mailbox else folder / "mailbox",
        who=who,
        unsafe=unsafe,
        told=say,
    )
    say(f"run {folder}")
    with progress() as told:
        run = Run(
            folder,
            spec,
            choose_agent(wish),
            wanted,
            confined=not unsafe,
            talk=Talk(say, told),
            seed=_recorded(agent, spec, "seed"),
        )
        finish = run.go()
    _tell(run, finish)
    raise typer.Exit(EXITS[finish.outcome])


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look.")] = Path("."),
) -> None:
    """The runs of the recipe below a folder, and recorded ones, side by side."""
    from envwright.translate.listing import all_rows

    table = Table()
    for column in ("run", "environment", "agent", "turns", "repairs", "tokens", "dollars", "ended"):
        table.add_column(column)
    for row in all_rows(folder):
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


def record(
    run: Annotated[str, typer.Argument(help="A run's id or folder.")],
    folder: Annotated[Path, typer.Argument(help="Where the recording goes.")],
    about: Annotated[list[str] | None, typer.Option(help="KEY=TEXT, for instance by=….")] = None,
) -> None:
    """Make a recording of a run, which --agent replay does again anywhere."""
    from envwright.translate.keep import keep_recording
    from envwright.translate.start import find_run

    pairs = dict(text.partition("=")[::2] for text in about or [])
    path = keep_recording(find_run(run, Path(".")), folder, pairs)
    out.print(f"{path}", markup=False)


def _spec(what: str, output: Path | None) -> TranslationSpec:
    """The specification of a folder; of a simulator, one that is made now."""
    if Path(what).exists():
        if output is not None:
            raise EnvwrightError("-o is for a simulator's name; a folder has its own place")
        return load_spec(Path(what))
    if ":" not in what:
        raise EnvwrightError(f"there is no folder {what}, and it is no simulator's name")
    from envwright.translate.propose import write_proposal

    folder = output or Path(what.partition(":")[2].split("?")[0].lower().replace("/", "-"))
    if not (folder / "translation.toml").exists():
        write_proposal(what, folder)
    return load_spec(folder)


def _recorded(agent: str, spec: TranslationSpec, what: str) -> Any:
    """What a recorded run was made with: another seed or level might ask for other turns."""
    if agent != "replay":
        return None
    from envwright.agents.replay import load_recording

    return load_recording(spec.folder).about.get(what)


def _levels(asked: str | None, spec: TranslationSpec) -> tuple[int, ...]:
    """Those that were asked for, all of which the specification must allow."""
    if asked is None:
        return spec.levels
    wanted = read_levels(asked)
    beyond = [level for level in wanted if level not in spec.levels]
    if beyond == [4]:
        raise EnvwrightError(f"level 4 needs a margin: write [l4] in {spec.path}")
    if beyond or not wanted:
        known = ",".join(map(str, spec.levels))
        raise EnvwrightError(f"there is no level {beyond[0]} here; choose from {known}")
    return wanted


def with_budget(
    spec: TranslationSpec,
    dollars: float | None,
    tokens: int | None,
    iterations: int | None,
    minutes: float | None,
) -> TranslationSpec:
    """A specification with other caps."""
    asked = {"dollars": dollars, "tokens": tokens, "iterations": iterations, "minutes": minutes}
    given = {k: v for k, v in asked.items() if v is not None}
    for name, value in given.items():
        if value <= 0:
            raise EnvwrightError(f"a cap on {name} must be above 0, not {value}")
    return replace(spec, budget=Budget(**{**spec.budget.__dict__, **given}))


def require_sandbox(unsafe: bool) -> None:
    """Refuse to run what nobody has read outside of one, unless told to."""
    from envwright.sandbox import why_not

    reason = None if unsafe else why_not()
    if reason is not None:
        raise EnvwrightError(
            f"generated code runs in a sandbox, and there is none here: {reason} "
            "(--unsafe runs it without one)"
        )


def say(text: str) -> None:
    """A line of what goes on."""
    out.print(text, markup=False)


def _tell(run: Run, finish: Finish) -> None:
    at = run.position
    cost = f"{at.usage.tokens:,} tokens, ${at.usage.dollars:.4f}"
    say(f"{finish.outcome}: {finish.reason}" if finish.reason else finish.outcome)
    say(f"{at.turns} turns, {cost}, {at.seconds:.0f} s; the code is in {run.code}")
    if finish.outcome == "human":
        out.print(f"what is known stands in {run.folder / 'human.md'}", markup=False)
    if finish.outcome != "verified":
        out.print("--resume goes on", markup=False)
