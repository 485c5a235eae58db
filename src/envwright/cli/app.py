"""`envwright VERB …`: the commands."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import typer
import typer.main

from envwright.cli import (
    adequacy,
    bench,
    demo,
    elo,
    export,
    init,
    listing,
    optimise,
    report,
    results,
    train,
    translate,
    update,
    verify,
)
from envwright.cli.interrupt import interrupts
from envwright.cli.outcome import exit_code_of
from envwright.cli.stored import arguments as typed
from envwright.errors import Exit

app = typer.Typer(
    name="envwright",
    help="Fast RL environments, with evidence that they are the same.",
    epilog="To begin: envwright translate gymnasium:CartPole-v1",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("list")(listing.list_environments)
app.command("verify")(verify.verify)
app.command("replay")(verify.replay)
app.command("mutate")(adequacy.mutate)
app.command("coverage")(adequacy.coverage)
app.command("train")(train.train)
app.command("play")(train.play)
app.command("elo")(elo.elo)
app.command("init")(init.init)
app.command("suggest-target")(init.suggest_target)
app.command("translate")(translate.translate)
app.command("optimise")(optimise.optimise)
app.command("ablate")(optimise.ablate)
app.command("update")(update.update)
app.command("export")(export.export)
app.command("runs")(translate.runs)
app.command("record")(translate.record)
app.command("bench")(bench.bench)
app.command("report")(report.report)
app.command("results")(results.results)
app.command("demo")(demo.demo)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code: 0 equal, 1 different, 2 bad input, 130 Ctrl-C."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # deprecations of libraries do not concern the user
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be any bytes
    typed.set(arguments)
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(exit_code_of(lambda: _run(words)))


def _run(words: list[str]) -> int:
    """Run a command; without one, show the help."""
    command = _tree()
    try:
        with interrupts(), command.make_context("envwright", words or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code if words else Exit.BAD_INPUT
    return Exit.EQUAL


@cache
def _tree() -> Any:
    """Make the command tree, which takes longer than finding most mistakes."""
    return typer.main.get_command(app)
