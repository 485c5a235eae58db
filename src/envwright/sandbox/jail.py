"""Describe a jail: what is visible and writable in it, its limits, and how a command ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from envwright.errors import EnvwrightError

MB = 1 << 20

Stop = Literal["", "time", "memory", "processes", "disk", "hidden", "output"]


class JailFailed(EnvwrightError):
    """A jail could not be created as requested."""


@dataclass(frozen=True)
class Limits:
    """The limits at which a jail is ended.

    The kernel rejects processes and files far above the limits at once. A program that then ends
    by itself before the watcher looks was not stopped; its own message explains why.
    """

    seconds: float = 600.0  # wall clock
    cpu_seconds: float | None = None  # of all processes together
    memory_mb: int = 4096  # of all processes together, and of the kernel for them
    processes: int = 256  # and threads, at the same time
    # Written to the writable folders, /tmp and /dev/shm, deleted files that are open included; a
    # file takes 1 KB beside its content. Also the longest file.
    disk_mb: int = 1024
    output_mb: int = 16  # of stdout and stderr each

    def why(self, stopped: Stop) -> str:
        """Describe the stop in one sentence; return an empty string for none."""
        cpu = "" if self.cpu_seconds is None else f" or {self.cpu_seconds:g} s of processor time"
        return {
            "": "",
            "time": f"stopped: it took longer than {self.seconds:g} s{cpu}",
            "memory": f"stopped: it used more than {self.memory_mb} MB of memory",
            "processes": f"stopped: it had more than {self.processes} processes and threads",
            "disk": f"stopped: it wrote {self.disk_mb} MB or more to files",
            "hidden": "stopped: it kept open files or locked folders that cannot be counted",
            "output": f"stopped: it printed more than {self.output_mb} MB",
        }[stopped]


@dataclass(frozen=True)
class Jail:
    """The files that a command can see and change. Paths are the same inside and outside.

    A writable folder belongs to one jail at a time. A readable path inside a writable folder
    stays read-only. If root runs the jail, the command runs as another user, so everyone must be
    able to read these paths.
    """

    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()  # in addition to /usr and envwright's interpreter
    hidden: tuple[Path, ...] = ()  # folders and files inside these that appear empty
    home: Path | None = None  # writable; None: an empty one that is removed afterwards
    env: Mapping[str, str] = field(default_factory=dict)  # in addition to PATH, HOME, LANG, TMPDIR
    socket: Path | None = None  # a Unix socket outside; nothing else can be reached
    port: int = 8080  # its port inside, on 127.0.0.1
    limits: Limits = Limits()
    # False is for `--unsafe`: the limits of time, memory, processes, files and output, and the
    # clean environment, but everything that the caller may see and change.
    confined: bool = True

    def __post_init__(self) -> None:
        for name in ("writable", "readable"):
            paths = tuple(Path(os.path.abspath(path)) for path in getattr(self, name))
            object.__setattr__(self, name, paths)
        if self.home is not None:
            object.__setattr__(self, "home", Path(os.path.abspath(self.home)))

    @property
    def folders(self) -> tuple[Path, ...]:
        """All writable folders, without those inside others."""
        every = {*self.writable, *([self.home] if self.home else [])}
        return tuple(sorted(path for path in every if every.isdisjoint(path.parents)))


@dataclass(frozen=True)
class Finished:
    """How a command ended. If a signal n ended it, the code is 128 + n, as in a shell."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    stopped: Stop = ""  # the limit at which the jail ended it
