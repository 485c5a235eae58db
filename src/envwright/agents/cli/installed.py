"""Where a program is installed, and what of that it needs to see."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from envwright.agents.cli.program import Program
from envwright.errors import EnvwrightError


def find(program: Program, executable: str | os.PathLike[str] | None = None) -> Path:
    """The program's executable: the one that is named, or else the one on the PATH."""
    found = shutil.which(executable or program.executable)
    if found is None:
        missing = f"there is no program {executable}" if executable else "it is not on the PATH"
        raise EnvwrightError(
            f"cannot start the agent {program.name}: {missing}; "
            f"install it with `{program.install}`, or name its executable"
        )
    return Path(found).absolute()


def folders(executable: Path) -> tuple[Path, ...]:
    """What a jail must show for the program to run: its own files, not the folder around them."""
    real = executable.resolve()
    return tuple(dict.fromkeys([*_links(executable), _installation(real)]))


def _installation(real: Path) -> Path:
    """The outermost node_modules or the virtual environment that holds it; else only itself."""
    for parent in reversed(real.parents):
        if parent.name == "node_modules" or (parent / "pyvenv.cfg").is_file():
            return parent
    return real


def _links(executable: Path) -> list[Path]:
    """The executable as it is called, where that is a link to the installation."""
    return [executable] if executable.is_symlink() else []
