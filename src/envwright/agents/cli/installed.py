"""Locate an installed program and the files that it needs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from envwright.agents.cli.tool import CliTool
from envwright.errors import EnvwrightError


def find(program: CliTool, executable: str | os.PathLike[str] | None = None) -> Path:
    """Return the program's executable: the given one, or the one on the PATH."""
    found = shutil.which(executable or program.executable)
    if found is None:
        missing = f"there is no program {executable}" if executable else "it is not on the PATH"
        raise EnvwrightError(
            f"cannot start the agent {program.name}: {missing}; "
            f"install it with `{program.install}`, or name its executable"
        )
    return Path(found).absolute()


def folders(executable: Path) -> tuple[Path, ...]:
    """Return the paths that a jail must expose for the program to run."""
    installation = _installation(executable.resolve())
    return tuple(dict.fromkeys([*_links(executable), installation, *_python(installation)]))


def _installation(real: Path) -> Path:
    """Return the outermost node_modules or virtual environment, or the file itself."""
    for parent in reversed(real.parents):
        if parent.name == "node_modules" or (parent / "pyvenv.cfg").is_file():
            return parent
    return real


def _python(installation: Path) -> list[Path]:
    """Return the interpreter behind a virtual environment, unless it is the system's."""
    try:
        settings = (installation / "pyvenv.cfg").read_text()
    except OSError:
        return []
    homes = [
        line.partition("=")[2].strip() for line in settings.splitlines() if line.startswith("home")
    ]
    prefixes = [Path(home).resolve().parent for home in homes if Path(home).is_dir()]
    return [prefix for prefix in prefixes if prefix not in (Path("/"), Path("/usr"))]


def _links(executable: Path) -> list[Path]:
    """Return the executable's own path if it is a link into the installation."""
    return [executable] if executable.is_symlink() else []
