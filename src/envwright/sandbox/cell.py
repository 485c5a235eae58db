"""Prepare a jail: bubblewrap's arguments, the environment and the kernel's limits."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from envwright.sandbox.jail import MB, Jail, JailFailed
from envwright.sandbox.owner import is_root
from envwright.sandbox.runtime import interpreter
from envwright.sandbox.syscalls import jail_filter
from envwright.sandbox.tree import remove

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
ETC = ("alternatives", "ca-certificates", "crypto-policies", "ld.so.cache", "ld.so.conf")
ETC += ("ld.so.conf.d", "localtime", "pki", "ssl")
NAMESPACES = "--unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"
# No shared terminal, because a program that has one may type into it.
LIFE = "--die-with-parent --new-session --hostname jail"
# The launcher gives up user 0 itself and keeps no capability.
AS_ROOT = "--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID"
AS_USER = "--unshare-user --cap-drop ALL"
PATH = "/usr/local/bin:/usr/bin:/bin"
# If the machine runs out of memory, jails end first. Inside, /proc is read-only, so this stays.
FIRST_TO_DIE = ("/bin/sh", "-c", 'echo 1000 >/proc/self/oom_score_adj; exec "$@"', "sh")
OPEN_FILES = 4096  # per process; each holds memory of the kernel's


@dataclass(frozen=True)
class Cell:
    """The arguments, environment and limits to start a jail with."""

    words: tuple[str, ...]  # precede the launcher's
    env: dict[str, str]
    descriptors: tuple[int, ...]  # to be inherited
    limits: dict[str, int]  # for the launcher


@contextmanager
def made_ready(jail: Jail, uid: int | None) -> Iterator[Cell]:
    """Yield a cell for a user (None: the caller) and remove its temporary files afterwards."""
    with ExitStack() as stack:
        if not jail.confined:
            tmp = tempfile.mkdtemp(prefix="envwright-")
            stack.callback(remove, Path(tmp))
            yield Cell(FIRST_TO_DIE, _environment(jail, tmp), (), _kernel_limits(jail, uid))
            return
        env = _environment(jail, "/tmp")
        made_up = _made_up(env["HOME"], uid)
        etc = {path: _memory_file(text.encode(), stack) for path, text in made_up.items()}
        calls = _memory_file(jail_filter(), stack)
        words = (
            *(*FIRST_TO_DIE, bwrap(), *NAMESPACES.split(), *LIFE.split(), *_rights(uid)),
            *("--seccomp", str(calls)),
            *_system(),
            *_memory_folders(jail),
            *_bound(jail),
            *_hidden(jail),
            *(word for path, file in etc.items() for word in _file(file, path)),
            *("--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"),
            "--",
        )
        yield Cell(words, env, (calls, *etc.values()), _kernel_limits(jail, uid))


def check(jail: Jail) -> None:
    """Reject a jail that cannot work or that would expose too much."""
    places = ("/usr", "/etc", os.path.expanduser("~"), tempfile.gettempdir())
    precious = {Path(place).resolve() for place in places}
    for path in jail.folders:
        if not os.path.isdir(path):
            raise JailFailed(f"{path} is not a folder; create it before passing it to a jail")
        if jail.confined and any(path.resolve() in (each, *each.parents) for each in precious):
            raise JailFailed(f"a jail must not have all of {path}; pass a folder below it")
    for path in jail.readable:
        if not os.path.exists(path):
            raise JailFailed(f"{path} does not exist; leave it out of the jail")
        if jail.confined and is_root() and not path.stat().st_mode & 0o004:
            raise JailFailed(f"the jail's user cannot read {path}; run chmod -R o+rX on it")


@cache
def bwrap() -> str:
    """Return the path of bubblewrap."""
    found = shutil.which("bwrap")
    if found is None:
        raise JailFailed("bubblewrap is missing; run apt install bubblewrap, or similar")
    return found


@cache
def _offers(option: str) -> bool:
    """Return whether this version of bubblewrap has an option."""
    told = subprocess.run([bwrap(), "--help"], capture_output=True, text=True)
    return f"{option} " in told.stdout + told.stderr


def _rights(uid: int | None) -> Sequence[str]:
    if uid is not None:
        return AS_ROOT.split()
    nested = ["--disable-userns"] if _offers("--disable-userns") else []
    return [*AS_USER.split(), *nested]


def _system() -> Iterator[str]:
    for path in SYSTEM:
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--perms", "0755", "--dir", "/etc")
    for name in ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev")
    # It reads the same, but mapped it is not memory that stays when its pages are unmapped.
    yield from ("--dev-bind", "/dev/full", "/dev/zero")


def _memory_folders(jail: Jail) -> Iterator[str]:
    # Slightly above the limit, so that the watcher sees the limit reached.
    size = ["--size", str((jail.limits.disk_mb + 1) * MB)] if _offers("--size") else []
    for path in ("/tmp", "/dev/shm"):
        yield from ("--perms", "1777", *size, "--tmpfs", path)


def _bindings(jail: Jail) -> list[tuple[Path, str]]:
    """Return outer folders first, so that inner ones stay visible; writable wins a tie."""
    readable = {path: "--ro-bind" for path in (*interpreter(), *jail.readable)}
    writable = dict.fromkeys([*jail.writable, *([jail.home] if jail.home else [])], "--bind")
    return sorted((readable | writable).items(), key=lambda pair: len(pair[0].parts))


def _bound(jail: Jail) -> Iterator[str]:
    bound, made = {*SYSTEM}, {Path("/"), Path("/tmp"), Path("/etc")}
    for path, option in _bindings(jail):
        for parent in reversed(path.parents):
            if parent not in made | bound and not _below(parent, bound):
                # Bubblewrap would create it for its own user only.
                yield from ("--perms", "0755", "--dir", str(parent))
                made.add(parent)
        bound.add(path)
        yield from (option, str(path), str(path))


def _hidden(jail: Jail) -> Iterator[str]:
    roots = {*SYSTEM, *(path for path, _ in _bindings(jail))}
    for path in jail.hidden:
        if not (path in roots or _below(path, roots)):
            continue
        if path.is_dir():
            yield from ("--perms", "0555", "--tmpfs", str(path), "--remount-ro", str(path))
        elif path.exists():
            yield from ("--ro-bind", "/dev/null", str(path))


def _below(path: Path, roots: set[Path]) -> bool:
    return not roots.isdisjoint(path.parents)


def _made_up(home: str, uid: int | None) -> dict[str, str]:
    user, group = (os.geteuid(), os.getegid()) if uid is None else (uid, uid)
    return {
        "/etc/passwd": f"jail:x:{user}:{group}:jail:{home}:/bin/sh\n",
        "/etc/group": f"jail:x:{group}:\n",
        "/etc/hosts": "127.0.0.1 localhost jail\n",
        # Nothing listens there, so lookups fail at once; without it some programs wait for seconds.
        "/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }


def _memory_file(content: bytes, stack: ExitStack) -> int:
    file = os.memfd_create("jail")
    stack.callback(os.close, file)
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _file(file: int, path: str) -> tuple[str, ...]:
    return ("--perms", "0444", "--ro-bind-data", str(file), path)


def _environment(jail: Jail, tmp: str) -> dict[str, str]:
    home = str(jail.home or Path(tmp) / "home")
    ours = {"PATH": _path(jail), "HOME": home, "LANG": "C.UTF-8", "TMPDIR": tmp}
    return {**ours, **jail.env}


def _path(jail: Jail) -> str:
    """Return the programs of readable folders, then those of the caller's that are in the jail."""
    own = [path / "bin" for path in jail.readable]
    callers = [Path(name) for name in os.environ.get("PATH", PATH).split(":") if name]
    roots = {*SYSTEM, *(path for path, _ in _bindings(jail))}
    every = dict.fromkeys([*own, *callers, *map(Path, PATH.split(":"))])
    seen = [path for path in every if os.path.isdir(path)]
    if jail.confined:
        seen = [path for path in seen if path in roots or _below(path, roots)]
    return ":".join(map(str, seen))


def _kernel_limits(jail: Jail, uid: int | None) -> dict[str, int]:
    """Return the kernel's limits per process; the watcher limits all processes together."""
    limits = jail.limits
    # With 0, a program outside of the jail would still get core dumps, where one is set to.
    kernel = {"RLIMIT_CORE": 1, "RLIMIT_FSIZE": limits.disk_mb * MB, "RLIMIT_NOFILE": OPEN_FILES}
    # Reserved memory is not used memory: set it far above, in case the watcher itself stops.
    kernel["RLIMIT_DATA"] = max(4 * limits.memory_mb, 16 * 1024) * MB
    if limits.cpu_seconds is not None:
        kernel["RLIMIT_CPU"] = int(limits.cpu_seconds) + 2
    if uid is not None or (jail.confined and _counted_by_namespace()):
        # Above the limit, so that the watcher can see and report that it is passed.
        kernel["RLIMIT_NPROC"] = limits.processes + limits.processes // 8 + 16
    return kernel


def _counted_by_namespace() -> bool:
    """Return whether the kernel counts processes per namespace (Linux 5.14), not per user."""
    major, minor = platform.release().split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= (5, 14)
