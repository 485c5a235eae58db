"""What a jail is: what may be seen, changed and used up in it, and how a stay ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from envwright.errors import EnvwrightError

MB = 1 << 20

Stop = Literal["", "time", "memory", "processes", "disk", "output"]


class JailFailed(EnvwrightError):
    """A jail could not be made as asked; the message says what to do."""


@dataclass(frozen=True)
class Limits:
    """What a jail may use up before it is ended.

    The kernel refuses processes and files far above the limits at once. A program that ends by
    itself upon that, before anybody has looked, was not stopped: its own message tells.
    """

    seconds: float = 600.0  # wall clock
    cpu_seconds: float | None = None  # of all processes together
    memory_mb: int = 4096  # resident, of all processes together
    processes: int = 256  # and threads, at the same time
    disk_mb: int = 1024  # written to the writable folders, /tmp and /dev/shm; also the longest file
    output_mb: int = 16  # of stdout and stderr each

    def why(self, stopped: Stop) -> str:
        """One sentence for people and prompts; empty if nothing was stopped."""
        cpu = "" if self.cpu_seconds is None else f" or {self.cpu_seconds:g} s of processor time"
        return {
            "": "",
            "time": f"stopped: it took longer than {self.seconds:g} s{cpu}",
            "memory": f"stopped: it used more than {self.memory_mb} MB of memory",
            "processes": f"stopped: it had more than {self.processes} processes and threads",
            "disk": f"stopped: it wrote {self.disk_mb} MB or more to files",
            "output": f"stopped: it printed more than {self.output_mb} MB",
        }[stopped]


@dataclass(frozen=True)
class Jail:
    """What a command sees and may do. Paths inside are the paths outside.

    A writable folder belongs to one jail at a time. A readable path inside a writable folder
    stays read-only. Where root runs jails, the command is another user, so what it is to read
    must be readable by everyone.
    """

    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()  # beside /usr and the interpreter that envwright runs on
    hidden: tuple[Path, ...] = ()  # folders inside these that are to look empty
    home: Path | None = None  # writable; None is an empty one that is gone afterwards
    env: Mapping[str, str] = field(default_factory=dict)  # beside PATH, HOME, LANG, TMPDIR
    socket: Path | None = None  # a Unix socket outside; the only thing that can be reached
    port: int = 8080  # where it is reached inside, on 127.0.0.1
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
        """All that may be written to, without folders inside others."""
        every = {*self.writable, *([self.home] if self.home else [])}
        return tuple(sorted(path for path in every if every.isdisjoint(path.parents)))


@dataclass(frozen=True)
class Finished:
    """How a command ended. A signal n that ended it is the code 128 + n, as in a shell."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    stopped: Stop = ""  # the limit at which the jail ended it
