"""`envwright VERB …`: the commands, and what an error or Ctrl-C looks like."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence

import typer

from envwright.cli import (
    adequacy,
    bench,
    demo,
    elo,
    init,
    listing,
    optimise,
    report,
    results,
    train,
    translate,
    verify,
)
from envwright.cli.interrupt import interrupts
from envwright.cli.show import problem
from envwright.cli.stored import arguments as typed
from envwright.errors import EnvwrightError, Exit

app = typer.Typer(
    name="envwright",
    help="Fast RL environments, with evidence that they are the same.",
    no_args_is_help=True,
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
app.command("runs")(translate.runs)
app.command("record")(translate.record)
app.command("bench")(bench.bench)
app.command("report")(report.report)
app.command("results")(results.results)
app.command("demo")(demo.demo)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code: 0 equal, 1 different, 2 bad input, 130 Ctrl-C."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # other libraries' deprecations are not the user's
    if "" not in sys.path:
        sys.path.append("")  # python:module:attribute may be a file in this folder
    typed.set(arguments)
    try:
        with interrupts():
            app(args=arguments, standalone_mode=True)
    except EnvwrightError as error:
        problem(str(error))
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, SystemExit) as leaving:
        if getattr(leaving, "code", Exit.INTERRUPTED) != Exit.INTERRUPTED:
            raise
        problem("interrupted; nothing was half-written")
        sys.exit(Exit.INTERRUPTED)
    except Exception:
        traceback.print_exc()
        problem("this is a defect of envwright; nothing can be concluded from this run")
        sys.exit(Exit.CRASHED)
