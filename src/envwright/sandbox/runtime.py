"""What programs of a language need to see, for `Jail.readable`. A jail's PATH has their `bin`."""

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
    """The Python that envwright runs on, without packages; in every jail."""
    return _outer([sys.base_prefix, sys.base_exec_prefix, launcher_python().parent.parent])


def launcher_python() -> Path:
    """Its program, not that of a virtual environment."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def python_runtime() -> tuple[Path, ...]:
    """This interpreter with its installed packages, and envwright itself."""
    source = Path(__file__).parents[2]  # elsewhere than the packages if installed as editable
    return _outer([sys.prefix, sys.exec_prefix, *interpreter(), source])


def tools() -> tuple[Path, ...]:
    """Every runtime that is here: what somebody needs who writes code and tests it."""
    here = [python_runtime()]
    here += [node_runtime()] if shutil.which("node") else []
    here += [rust_runtime()] if shutil.which("rustc") else []
    return _outer(path for paths in here for path in paths)


def finished_rooms() -> tuple[Path, ...]:
    """The zoo's rooms, for `Jail.hidden`: who translates must not find the answer there."""
    zoo = Path(__file__).parents[1] / "zoo"
    return tuple(sorted(path for path in zoo.iterdir() if path.is_dir()))


@cache
def node_runtime() -> tuple[Path, ...]:
    """Node and what is installed beside it."""
    node = shutil.which("node")
    if node is None:
        raise JailFailed("node is missing; install Node.js 20 or newer")
    return _outer([Path(node).parent.parent, Path(os.path.realpath(node)).parent.parent])


@cache
def rust_runtime() -> tuple[Path, ...]:
    """The toolchain itself, without rustup, which would want to write.

    Cargo then keeps its own files in the jail's home. Crates from a registry are not there.
    """
    rustc = shutil.which("rustc")
    if rustc is None:
        raise JailFailed("rustc is missing; install Rust, for instance from https://rustup.rs")
    asked = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise JailFailed(f"rustc does not work: {asked.stderr.strip()}")
    return _outer([asked.stdout.strip()])


def _outer(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """These folders in their order, without those inside others or in every jail anyhow."""
    every = list(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
    roots = {USR, *every}
    return tuple(path for path in every if path != USR and roots.isdisjoint(path.parents))
