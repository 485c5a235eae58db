"""Where a program is installed, and what of that it needs to see."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from envwright.agents.cli.tool import CliTool
from envwright.errors import EnvwrightError


def find(program: CliTool, executable: str | os.PathLike[str] | None = None) -> Path:
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
    installation = _installation(executable.resolve())
    return tuple(dict.fromkeys([*_links(executable), installation, *_python(installation)]))


def _installation(real: Path) -> Path:
    """The outermost node_modules or the virtual environment that holds it; else only itself."""
    for parent in reversed(real.parents):
        if parent.name == "node_modules" or (parent / "pyvenv.cfg").is_file():
            return parent
    return real


def _python(installation: Path) -> list[Path]:
    """The interpreter that a virtual environment was made from, where it is not the system's."""
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
    """The executable as it is called, where that is a link to the installation."""
    return [executable] if executable.is_symlink() else []
