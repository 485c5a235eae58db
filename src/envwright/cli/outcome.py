"""The outcome of a command: an exit code, and one sentence if it failed."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

import typer

from envwright.cli.show import problem
from envwright.core.text import one_line
from envwright.errors import EnvwrightError, Exit

# Errors of the machine or its settings, with advice; they are not defects of the code.
REFUSED = {
    errno.ENOSPC: "free some space or choose another place",
    errno.EDQUOT: "free some space or choose another place",
    errno.EFBIG: "free some space or choose another place",
    errno.EROFS: "choose another place",
    errno.EACCES: "choose another place or change its permissions",
    errno.EPERM: "choose another place or change its permissions",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "choose another place",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close other programs",
    errno.ENOMEM: "choose smaller numbers or close other programs",
    errno.EPIPE: "read the output to its end",
}

LOOP = "Symlink loop from"


def exit_code_of(command: Callable[[], int]) -> int:
    """Run a command to its exit code. Errors become sentences; only defects show a traceback.

    Where stderr takes no sentence, the exit code stays what it is.
    """
    try:
        return _outcome(command)
    finally:
        for stream in (sys.stdout, sys.stderr):
            _forget_output(stream)


def _outcome(command: Callable[[], int]) -> int:
    try:
        code = command()
        sys.stdout.flush()  # a failed write is an error now, not a message after the end
        return code
    except EnvwrightError as error:
        _report(str(error))
        return error.exit_code
    except typer.TyperException as error:
        _report(_usage(error))
    except KeyboardInterrupt:
        _report("interrupted; nothing was half-written")
        return Exit.INTERRUPTED
    except SystemExit as leaving:  # commands return; 0 would mean that all is equal
        _report(f"code that was loaded ended the process ({leaving.code}); it must return instead")
    except OSError as error:
        if error.errno not in REFUSED:
            return _defect()
        where = f" {error.filename}" if error.filename else ""
        reason = os.strerror(error.errno).lower()
        _report(f"the system refuses{where}: {reason}; {REFUSED[error.errno]}")
    except Exception as error:
        if isinstance(error, RuntimeError) and str(error).startswith(LOOP):  # of pathlib
            _report(f"the system refuses a path: {one_line(str(error)).lower()}; choose another")
            return Exit.BAD_INPUT
        if not _is_short_of_memory(error):
            return _defect()
        _report("there is not enough memory; choose smaller numbers or close other programs")
    return Exit.BAD_INPUT


def _usage(error: typer.TyperException) -> str:
    """Return what is wrong with the command line, and where its options are listed."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "envwright"
    return f"{error.format_message().rstrip('.')}; see {command} --help"


def _is_short_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or (
        type(error).__name__ == "JaxRuntimeError" and str(error).startswith("RESOURCE_EXHAUSTED")
    )


def _defect() -> int:
    with suppress(OSError):
        traceback.print_exc()
    _report("this is a defect of envwright; nothing can be concluded from this run")
    return Exit.CRASHED


def _report(sentence: str) -> None:
    """Print a sentence, where stderr takes it."""
    with suppress(OSError):
        problem(sentence)


def _forget_output(stream: TextIO) -> None:
    """Let nothing be written to a stream that is closed or full, also not when Python ends."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
