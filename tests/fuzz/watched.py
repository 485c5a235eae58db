"""Runs a command in this process up to where its work begins, and watches what it writes."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

from envwright.cli import main

# Where the work of a command begins: all that its arguments can be asked for is known there.
WORK = (
    "envwright.verify.run.room_level",
    "envwright.verify.run.run_level",
    "envwright.verify.run.run_transfer",
    "envwright.verify.vector.check._oracle",
    "envwright.cli.verify.replay_divergence",
    "envwright.verify.adequacy.mutate.all_mutants",
    "envwright.verify.adequacy.coverage.rust_coverage",
    "envwright.verify.adequacy.coverage.LineCoverage",
    "envwright.zoo.pokemon.commands.coverage",
    "envwright.zoo.tcgpocket.commands.coverage",
    "envwright.zoo.gameboy.checks.l3_frames.differences",
    "envwright.zoo.gameboy.play.play_rom",
    "envwright.zoo.gameboy.play.play_random",
    "envwright.train.run._train",
    "envwright.train.play.play_episode",
    "envwright.train.untrained.play_random",
    "envwright.train.devices.jax.distributed.initialize",
    "envwright.train.arena.round_robin",
    "envwright.bench.jobs.run_bench",
    "envwright.bench.jobs.run_breakdown",
    "envwright.cli.export.write_package",
    "envwright.translate.propose.survey_of",
    "envwright.translate.suggest.play",
    "envwright.translate.run.Run.go",
    "envwright.translate.optimise.Optimisation.go",
    "envwright.translate.ablate.ablate",
    "envwright.core.pinned._pip",
    "envwright.zoo.pokemon.checks.versions.newest",
    "envwright.zoo.pokemon.checks.versions.set_up_version",
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MAKING = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate")


class Begun(BaseException):
    """The arguments were accepted."""


@dataclass
class Outcome:
    """What a command did."""

    code: int | None  # None: it began to work
    out: str
    err: str
    written: set[str] = field(default_factory=set)  # paths, as they were given to the system


_written: set[str] | None = None


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _written is None:
        return
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and isinstance(flags, int) and flags & WRITING:
            _written.add(os.path.abspath(os.fsdecode(path)))
    elif event in MAKING and isinstance(arguments[0], str | bytes | os.PathLike):
        _written.add(os.path.abspath(os.fsdecode(arguments[0])))


sys.addaudithook(_audit)  # for ever; it does nothing where nothing is watched


@contextlib.contextmanager
def work_cut_off() -> Iterator[None]:
    """Let every command end where its work begins."""

    def begin(*arguments: Any, **named: Any) -> NoReturn:
        raise Begun

    with ExitStack() as stack:
        for place in WORK:
            stack.enter_context(patch(place, begin))
        yield


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """End the whole process, with a traceback, where something hangs."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def run(words: list[str], folder: Path) -> Outcome:
    """Run a command in a folder."""
    global _written
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    outcome = Outcome(None, "", "")
    try:
        with contextlib.chdir(folder), patch("sys.stdout", out), patch("sys.stderr", err):
            _written = outcome.written
            main(words)
    except SystemExit as left:
        outcome.code = left.code if isinstance(left.code, int) else 0 if left.code is None else -1
    except Begun:
        pass
    finally:
        _written = None
    outcome.out, outcome.err = (_text(stream) for stream in (out, err))
    return outcome


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def contents(folder: Path) -> dict[str, Any]:
    """Everything in a folder: names, and what files hold."""
    found: dict[str, Any] = {}
    for top, folders, files in os.walk(os.fsencode(folder)):
        for name in (*folders, *files):
            path = os.path.join(top, name)
            state = os.lstat(path)
            small = os.path.isfile(path) and not os.path.islink(path) and state.st_size < 2**20
            with open(path, "rb") if small else io.BytesIO() as file:
                found[os.fsdecode(path)] = (state.st_mode, state.st_size, file.read())
    return found
