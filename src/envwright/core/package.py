"""The installed package: its name, folder and version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "envwright"
FOLDER = Path(__file__).parents[1]
CHECKOUT = FOLDER.parents[1]  # the source tree, if there is one


def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"


VERSION = _version()
