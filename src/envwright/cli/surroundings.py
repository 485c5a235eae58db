"""Preconditions of every command: open streams, and a current folder."""

from __future__ import annotations

import io
import os
import sys


def open_streams() -> None:
    """Open streams that the caller has closed, to nowhere.

    A file that is opened later would take their place, and get what libraries print.
    """
    number = os.open(os.devnull, os.O_RDWR)
    while number <= 2:
        number = os.dup(number)
    os.close(number)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0, "r", closefd=False))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(1, "w", closefd=False))
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(2, "w", closefd=False))


def why_nowhere() -> str:
    """Return what is wrong with the current folder; "" if there is one."""
    try:
        os.getcwd()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return f"the current folder cannot be used: {reason}; go to another one"
    return ""
