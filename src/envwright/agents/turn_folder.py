"""What an agent's program leaves in the folder of its turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envwright.sandbox import tree

KEPT = 4 << 20  # letters of a program's output, its last


@contextmanager
def temporary_home(folder: Path) -> Iterator[Path]:
    """Yield a new home for a turn's program. It is removed however the turn ends."""
    home = tree.fresh(folder / "home")  # an attempt may have been interrupted
    try:
        yield home
    finally:
        tree.remove(home)


def keep_output(folder: Path, name: str, text: str) -> None:
    """Save the end of a program's output for people to read."""
    (folder / name).write_text(text[-KEPT:], errors="backslashreplace")
