"""Compile PufferLib's Pong as its own setup.py would, and again for this processor."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from envwright.core.progress import Say, quiet
from envwright.errors import EnvwrightError
from envwright.zoo.pong.reference.fetch import (
    RAYLIB,
    SET_UP,
    alone,
    cache_folder,
    draft_folder,
    fetch,
    sources,
)

Build = Literal["plain", "native"]

# What Python's own build adds to every extension, then what PufferLib's setup.py adds.
_COMMON = ("-DNDEBUG", "-fwrapv", "-fPIC")
_PUFFER = ("-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-DPLATFORM_DESKTOP", "-O2", "-flto")
_WARNINGS = ("-Wno-alloc-size-larger-than", "-Wno-implicit-function-declaration", "-fmax-errors=3")

FLAGS: dict[Build, tuple[str, ...]] = {
    "plain": (*_COMMON, *_PUFFER, *_WARNINGS),
    # May fuse multiply and add, which rounds continuous actions differently: for speed only.
    "native": (*_COMMON, *_PUFFER, *_WARNINGS, "-O3", "-march=native"),
}
LINK_FLAGS: dict[Build, tuple[str, ...]] = {
    "plain": ("-shared", "-fwrapv", "-O2", "-Bsymbolic-functions"),
    "native": ("-shared", "-fwrapv", "-O3", "-march=native", "-Bsymbolic-functions"),
}


def set_up(say: Say = quiet) -> None:
    """Fetch the sources and make both builds, unless they exist."""
    _require(_wrong_machine() or _no_tools())  # before fetching 60 MB
    fetch(say)
    for build in get_args(Build):
        library(build, say)


def why_not() -> str:
    """Return why the reference cannot be used right now, or nothing. Uses no network."""
    wrong = _wrong_machine()
    if wrong or _path("plain").is_file():
        return wrong
    if not sources().is_dir():
        return f"PufferLib's Pong is not here; fetch it once with: {SET_UP}"
    return _no_tools()


def library(build: Build = "plain", say: Say = quiet) -> Path:
    """Return the compiled module; compile it if only the sources are here."""
    if build not in FLAGS:
        raise EnvwrightError(f"there is no build {build!r}; use {' or '.join(FLAGS)}")
    path = _path(build)
    if path.is_file():
        return path
    _require(why_not() or _no_tools())
    with alone(), draft_folder("build") as draft:
        if not path.is_file():  # another process may have compiled it meanwhile
            say(f"compiling {path.name}")
            os.replace(_compiled(build, draft), path)
    return path


def _path(build: Build) -> Path:
    """Return a path named after flags, NumPy, Python and processor, so that a loaded build fits.

    The compiler is not part of it: an existing build works without one.
    """
    parts = [*FLAGS[build], *LINK_FLAGS[build], np.__version__]
    if build == "native":
        parts.append(_processor())
    key = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12]
    return cache_folder() / f"{build}-{key}{sysconfig.get_config_var('EXT_SUFFIX')}"


def _compiled(build: Build, folder: Path) -> Path:
    here = sources()
    includes = (_python_headers(), Path(np.get_include()), here / RAYLIB / "include")
    source = here / "pufferlib/ocean/pong/binding.c"
    middle, result = folder / "binding.o", folder / "binding.so"
    listed = [f"-I{path}" for path in includes]
    _run([_compiler(), *listed, *FLAGS[build], "-c", str(source), "-o", str(middle)])
    drawing = here / RAYLIB / "lib/libraylib.a"
    _run([_compiler(), str(middle), str(drawing), *LINK_FLAGS[build], "-o", str(result)])
    return result


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
        raise EnvwrightError(
            f"{Path(command[0]).name} could not compile the reference of Pong: "
            f"{' '.join(told[0].split())[:300]}; install gcc, or name it with CC"
        )


def _wrong_machine() -> str:
    if platform.system() == "Linux" and platform.machine() == "x86_64":
        return ""
    return (
        "PufferLib's package holds its drawing library for Linux on x86-64 only; "
        "here the recorded traces stand for the reference"
    )


def _no_tools() -> str:
    if not _compiler():
        return "the reference of Pong is compiled here; install gcc, or name it with CC"
    if not (_python_headers() / "Python.h").is_file():
        return (
            f"Python's headers are not in {_python_headers()}; "
            "install them (python3-dev), since the reference of Pong is compiled here"
        )
    return ""


def _require(problem: str) -> None:
    if problem:
        raise EnvwrightError(problem)


def _compiler() -> str:
    asked = os.environ.get("CC")
    names = [asked] if asked else ["gcc", "cc"]
    return next(filter(None, map(shutil.which, names)), "")


def _python_headers() -> Path:
    return Path(sysconfig.get_path("include"))


def _processor() -> str:
    """Return what `-march=native` stands for; a cache may be shared between machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith("flags")), platform.processor())
