"""Put a finished draft in the place of an earlier package, all of it or nothing."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def draft_in(folder: Path) -> Iterator[Path]:
    """Make a draft beside what it replaces, and remove it at the end."""
    draft = Path(tempfile.mkdtemp(dir=folder.resolve(), prefix=".draft-"))
    try:
        draft.chmod(0o755)  # a jail's user reads it
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def replace(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Put the entries of a draft into a folder; an entry that the draft lacks is removed.

    If anything fails, the folder is left as it was.
    """
    aside = folder / f".replaced-{secrets.token_hex(4)}"
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(source, target)
        moved.append((source, target))

    try:
        for name in names:
            if os.path.lexists(folder / name):
                move(folder / name, aside / name)
        for name in names:
            if os.path.lexists(draft / name):
                move(draft / name, folder / name)
    except BaseException:
        for source, target in reversed(moved):
            os.rename(target, source)
        shutil.rmtree(aside, ignore_errors=True)  # empty, now that everything is back
        raise
    shutil.rmtree(aside, ignore_errors=True)
