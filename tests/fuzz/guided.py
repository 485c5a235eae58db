"""Fuzz a reader guided by what its damaged files reach, with atheris. Optional.

    pip install atheris  # it has wheels for some versions of Python only
    python -m tests.fuzz.guided journal -runs=20000

The other words are libFuzzer's. It stops at the first error that is no sentence and saves the
input, which `python -m tests.fuzz.guided journal FILE` repeats.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["envwright"]):
    from tests.fuzz.files import FORMATS, Format

    from envwright.errors import EnvwrightError


def tried(form: Format, whole: Path, name: Path, data: bytes) -> None:
    """Read a valid file after the damage that some bytes choose."""
    provider = atheris.FuzzedDataProvider(data)
    copy = whole.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    text = (whole / name).read_bytes()
    damaged = form.damage(text, lambda n: provider.ConsumeIntInRange(0, n - 1))
    (copy / name).write_bytes(damaged)
    with suppress(EnvwrightError):
        form.read(copy / name)


def main(program: str, name: str, *options: str) -> None:
    """Fuzz a format."""
    form = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        whole.mkdir()
        made = form.make(whole).relative_to(whole)
        atheris.Setup([program, *options], lambda data: tried(form, whole, made, data))
        atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in FORMATS:
        sys.exit(f"name a format: {', '.join(FORMATS)}")
    main(*sys.argv)
