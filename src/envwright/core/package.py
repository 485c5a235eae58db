"""The installed package: its name, folder and version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "envwright"
FOLDER = Path(__file__).parents[1]
CHECKOUT = FOLDER.parents[1]  # of a source tree

try:
    VERSION = version(NAME)
except PackageNotFoundError:  # run from a source tree that was never installed
    VERSION = "0+unknown"
