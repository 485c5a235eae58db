"""Folders that a language's programs need, for `Jail.readable`; PATH includes their `bin`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from envwright.sandbox.jail import JailFailed

USR = Path("/usr")  # in every jail


def interpreter() -> tuple[Path, ...]:
    """Return the Python that envwright runs on, without packages; it is in every jail."""
    return _outer([sys.base_prefix, sys.base_exec_prefix, launcher_python().parent.parent])


def launcher_python() -> Path:
    """Return its program, not that of a virtual environment."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def python_runtime() -> tuple[Path, ...]:
    """Return this interpreter with its packages, its own and borrowed ones, and envwright."""
    source = Path(__file__).parents[2]  # outside the packages in an editable install
    borrowed = [path for path in sys.path if Path(path).name == "site-packages"]
    return _outer([sys.prefix, sys.exec_prefix, *interpreter(), source, *borrowed])


def tools() -> tuple[Path, ...]:
    """Return every installed runtime, for an agent that writes and tests code."""
    here = [python_runtime()]
    here += [node_runtime()] if shutil.which("node") else []
    here += [rust_runtime()] if shutil.which("rustc") else []
    return _outer(path for paths in here for path in paths)


def finished_rooms() -> tuple[Path, ...]:
    """Return the zoo's rooms, for `Jail.hidden`: an agent must not find the answer there."""
    zoo = Path(__file__).parents[1] / "zoo"
    return tuple(sorted(path for path in zoo.iterdir() if path.is_dir()))


@cache
def node_runtime() -> tuple[Path, ...]:
    """Return Node.js and its packages."""
    node = shutil.which("node")
    if node is None:
        raise JailFailed("node is missing; install Node.js 20 or newer")
    return _outer([Path(node).parent.parent, Path(os.path.realpath(node)).parent.parent])


@cache
def rust_runtime() -> tuple[Path, ...]:
    """Return the toolchain without rustup, which would write to its folder.

    Cargo keeps its files in the jail's home. Crates from a registry are not available.
    """
    rustc = shutil.which("rustc")
    if rustc is None:
        raise JailFailed("rustc is missing; install Rust, for instance from https://rustup.rs")
    asked = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise JailFailed(f"rustc does not work: {asked.stderr.strip()}")
    return _outer([asked.stdout.strip()])


def _outer(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return these folders in order, without those inside others or in every jail."""
    every = list(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
    roots = {USR, *every}
    return tuple(path for path in every if path != USR and roots.isdisjoint(path.parents))
