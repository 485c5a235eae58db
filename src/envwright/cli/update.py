"""`envwright update`: a new version of the reference."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from envwright.agents.choose import DEFAULT
from envwright.cli.export import PLACED
from envwright.cli.grouped import grouped
from envwright.cli.listing import JsonFile
from envwright.cli.options import (
    Agent,
    Command,
    Dollars,
    Endpoint,
    Iterations,
    Levels,
    Mailbox,
    Minutes,
    Model,
    NoBench,
    Prices,
    Tests,
    Tokens,
    Unsafe,
    Who,
)
from envwright.cli.proposed import is_there
from envwright.cli.recipe import agent_request, caps, say
from envwright.cli.room_options import named_room
from envwright.cli.show import from_here, out, progress
from envwright.cli.stored import Store
from envwright.core.files import alone, write_text
from envwright.core.pinned import newest, python_with
from envwright.core.room import TRANSLATION, Room
from envwright.errors import EnvwrightError, Exit, SameVersion
from envwright.schema.results import Update

if TYPE_CHECKING:
    from envwright.translate.spec import TranslationSpec
    from envwright.translate.update.stage import Stage
    from envwright.translate.update.versions import Comparison

SEEN = {"same": "green", "text": "green", "behaviour": "red", "inconclusive": "yellow"}
BACK = "the folder is as it was; the same command goes on"


@dataclass(frozen=True)
class RecipeOptions:
    """The options of the run that follows."""

    agent: Agent = DEFAULT
    command: Command = None
    model: Model = None
    endpoint: Endpoint = None
    prices: Prices = None
    mailbox: Mailbox = None
    who: Who = None
    levels: Levels = None
    budget: Dollars = None
    tokens: Tokens = None
    iterations: Iterations = None
    minutes: Minutes = None
    tests: Tests = None
    no_bench: NoBench = False
    unsafe: Unsafe = False

    def check(self) -> None:
        """Reject what the run would reject, before anything is installed or recorded."""
        agent_request(
            self.agent,
            self.command,
            self.model,
            self.endpoint,
            self.prices,
            self.who,
            self.unsafe,
        )
        caps(self.budget, self.tokens, self.iterations, self.minutes)
        if self.agent == "replay":
            raise EnvwrightError(
                "a recording is of the old version; name another agent, such as compiler"
            )

    def words(self) -> Iterator[str]:
        """Yield them as `envwright translate` takes them."""
        for name, value in self.__dict__.items():
            option = f"--{name.replace('_', '-')}"
            if value is True:
                yield option
            elif value not in (None, False):
                path = isinstance(value, Path)
                yield from (option, str(value.absolute() if path else value))


@grouped
def update(
    what: Annotated[
        str,
        typer.Argument(help="The folder of a translation; to compare only, an environment."),
    ],
    to: Annotated[
        str | None, typer.Option(help="The new version.", show_default="pip's newest")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="The old version.", show_default="as pinned")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only compare. Exit 1 if behaviour changed.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Translate every module again.")
    ] = False,
    *,
    recipe: RecipeOptions,
    json: JsonFile = None,
) -> None:
    """Move a translation to a new version of its reference.

    Compares both versions, translates modules whose behaviour changed, and judges everything
    again. Other exit codes are those of translate; the folder changes only if all is verified.
    """
    recipe.check()
    room = _room(what)
    if room is not None:
        _only_compared(check, what)
        _compare_room(room, since, to, Store(json))
    elif is_there(what):
        _update(Path(what), since, to, check, everything, recipe, Store(json, Path(what)))
    else:
        _only_compared(check, what)
        _compare_simulator(what, since, to, Store(json))


def _only_compared(check: bool, what: str) -> None:
    if not check:
        raise EnvwrightError(
            f"{what} is not the folder of a translation, so that its versions can only be "
            "compared; add --check"
        )


def _room(what: str) -> Room | None:
    """Return the room of the zoo that is meant, if one is."""
    room = named_room(what)
    if room is not None and (Path(what) / TRANSLATION).is_file():
        raise EnvwrightError(
            f"{what} is an environment and also a folder here; write ./{what} for the folder, or "
            f"envwright/{what} for the environment"
        )
    return room


# --- comparisons ---------------------------------------------------------------------------------


def _compare_room(room: Room, since: str | None, to: str | None, store: Store) -> None:
    from envwright.translate.spec import load_spec

    if room.versions:
        with progress() as told:
            found = room.attribute(room.versions)(since, to, say, told)
        show_update(found)
        _end(found, store)
    folder = room.folder
    if room.fetch or folder is None:
        raise EnvwrightError(
            f"the reference of {room.id} is fetched at one version; there are no others to compare"
        )
    _, result = _compared(load_spec(folder), since, to, room.id)
    _end(result, store)


def _compare_simulator(name: str, since: str | None, to: str | None, store: Store) -> None:
    from envwright.translate.propose import write_proposal
    from envwright.translate.spec import load_spec

    if ":" not in name:
        raise EnvwrightError(f"there is no folder {name}, and it is not the name of a simulator")
    with tempfile.TemporaryDirectory(prefix="envwright-update-") as scratch:
        write_proposal(name, Path(scratch, "translation"), "jax")
        _, result = _compared(load_spec(Path(scratch, "translation")), since, to)
    _end(result, store)


def _compared(
    spec: TranslationSpec, since: str | None, to: str | None, env: str = ""
) -> tuple[Comparison, Update]:
    """Compare both versions and show what changed."""
    from envwright.translate.update.versions import Comparison, pin_of

    pin = pin_of(spec)
    old = pin if since is None else pin.at(since)
    new = pin.at(newest(pin.name) if to is None else to)
    if old == new:
        raise SameVersion(old)
    comparison = Comparison(spec, old, new, say)
    result = comparison.result(env)
    show_update(result)
    return comparison, result


def _end(result: Update, store: Store) -> NoReturn:
    store(result)
    raise typer.Exit(Exit.DIFFERENT if result.changed else Exit.EQUAL)


# --- updates -------------------------------------------------------------------------------------


def _update(
    folder: Path,
    since: str | None,
    to: str | None,
    check: bool,
    everything: bool,
    recipe: RecipeOptions,
    store: Store,
) -> None:
    from envwright.translate.spec import load_spec
    from envwright.translate.stored_runs import last_run
    from envwright.translate.update.stage import Stage

    spec = load_spec(folder)
    base = None if check else last_run(spec, ended="verified")
    if base is None and not check:
        raise EnvwrightError(
            f"{folder} has no verified run to begin with; run envwright translate {folder}, or "
            "compare only with --check"
        )
    comparison, result = _compared(spec, since, to)
    if check:
        _end(result, store)
    assert base is not None
    stage = Stage(spec, comparison.new, spec.version + result.changed)
    again = [module.name for module in spec.modules] if everything else result.to_translate
    with alone(stage.folder):
        code = _run(stage, base, again, comparison, result, recipe)
        if code != Exit.EQUAL:
            say(BACK)
            raise typer.Exit(code)
        run = stage.place()
    result.outcome, result.versions = "verified", [spec.version, stage.version]
    store(result)
    say(f"{folder} now pins {stage.new}, and its version is {stage.version}; run {run.name}")
    say(f"install it again: pip install {from_here(_package(spec))}")


def _package(spec: TranslationSpec) -> Path:
    from envwright.translate.package import place_for

    return place_for(spec, None)


def _run(
    stage: Stage,
    base: Path,
    again: list[str],
    comparison: Comparison,
    result: Update,
    recipe: RecipeOptions,
) -> int:
    """Run the recipe in the environment of the new version; return its exit code."""
    from envwright.translate.update.hint import hint
    from envwright.translate.update.versions import AS_MODULE, child_env

    begun = stage.prepare()
    say(f"to translate again: {', '.join(again) or 'nothing'}; everything is judged again")
    python = python_with(stage.new, say)
    with tempfile.TemporaryDirectory(prefix="envwright-update-") as scratch:
        told = write_text(Path(scratch, "hint.md"), hint(comparison, result))
        words = ["--hint", str(told)] if result.changed else []
        if begun is None:
            words += ["--base", str(base), *(w for name in again for w in ("--again", name))]
        else:
            words += ["--resume"]
        command = [str(python), *AS_MODULE, "envwright", "translate", str(stage.folder)]
        env = {**child_env(), "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(
            [*command, *recipe.words(), *words], stdout=subprocess.PIPE, text=True, env=env
        ) as child:
            assert child.stdout is not None
            lines = (line.rstrip("\n") for line in child.stdout)
            for line in takewhile(lambda line: not line.startswith(PLACED), lines):
                say(line)
            for _ in lines:  # where the package is now is not where it will be
                pass
    return child.returncode


# --- what is printed -----------------------------------------------------------------------------


def show_update(result: Update) -> None:
    """Print what changed: modules, the whole, and the first differences."""
    title = f"{result.package} {result.old} → {result.new}: {result.simulator or result.env}"
    if result.modules:
        table = Table(title=title, title_justify="left")
        for column in ("module", "verdict", "source", "why"):
            table.add_column(column)
        for module in result.modules:
            added = sum(text.added for text in module.texts)
            removed = sum(text.removed for text in module.texts)
            source = f"+{added} -{removed} lines" if module.texts else "same"
            verdict = Text(module.verdict, SEEN[module.verdict])
            table.add_row(module.name, verdict, source, module.why)
        out.print(table)
    table = Table(title="" if result.modules else title, title_justify="left")
    for column in ("compared", "count", "differ", "first difference"):
        table.add_column(column, justify="right" if column in ("count", "differ") else "left")
    for part in result.parts:
        count = f"{part.compared:,} {part.unit}"
        table.add_row(part.name, count, f"{part.differ:,}" if part.differ else "-", part.first)
    out.print(table)
    for module in result.modules:
        for function in [each for each in module.functions if each.differ]:
            out.print(f"{function.target} with {function.inputs}")
            out.print(f"  {result.old}: {function.old}\n  {result.new}: {function.new}")
    for note in result.notes:
        out.print(f"  {note}")
