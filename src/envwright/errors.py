"""Errors that a person can act on, and the exit codes of every command."""

from __future__ import annotations

import os
from enum import IntEnum
from pathlib import Path


class Exit(IntEnum):
    """The meaning of exit codes, the same for every verb."""

    EQUAL = 0
    DIFFERENT = 1
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    BUDGET = 4
    HUMAN_NEEDED = 5
    AGENT_FAILED = 6
    CRASHED = 70  # a defect of envwright itself; neither equal nor different
    INTERRUPTED = 130


class EnvwrightError(Exception):
    """Bad input: one sentence that says what is wrong and what to do about it."""

    exit_code = Exit.BAD_INPUT


class UnknownEnvironment(EnvwrightError):
    """No environment has this id; the message names the nearest ones."""


class MissingPackage(EnvwrightError):
    """A reference or peer is not installed; the message says how to install it."""


class SameVersion(EnvwrightError):
    """Both versions are the same: nothing is to be compared, and nothing is wrong."""

    exit_code = Exit.EQUAL

    def __init__(self, what: object) -> None:
        super().__init__(
            f"{what} is on both sides, so nothing differs; name another version with --to or --from"
        )


class IncompatiblePair(EnvwrightError):
    """Two simulators cannot be compared, for instance because their actions differ."""


class NotReproducible(EnvwrightError):
    """A reference gave two different answers to the same seed and actions."""


class SchemaError(EnvwrightError):
    """A stored file is not what it claims to be; the reason names the field."""

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(f"{path} {reason}")
        self.path, self.reason = Path(path), reason
