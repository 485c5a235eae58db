"""Start a jail, watch it, and leave nothing behind."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from signal import SIGXCPU, SIGXFSZ

from envwright.sandbox.cell import Cell, check, made_ready
from envwright.sandbox.cgroup import around
from envwright.sandbox.disk import Usage
from envwright.sandbox.jail import Jail, JailFailed, Stop
from envwright.sandbox.owner import lent, read_only
from envwright.sandbox.processes import Family, Inmates, Namespace
from envwright.sandbox.relay import Relay
from envwright.sandbox.runtime import launcher_python
from envwright.sandbox.watch import Watch

PATIENCE = 30.0  # seconds for creating a jail, which takes 0.1 s
LAUNCHER = Path(__file__).with_name("launcher.py")
SIGNALLED: dict[int, Stop] = {128 + SIGXCPU: "time", 128 + SIGXFSZ: "disk"}


class Keeper(threading.Thread):
    """One jail from beginning to end.

    It is a separate thread for three reasons: a jail ends with the thread that started it, which
    must not be the caller's; it watches; and Ctrl-C does not interrupt its cleanup.
    """

    def __init__(self, command: Sequence[str], jail: Jail, cwd: Path) -> None:
        super().__init__(name="jail keeper", daemon=True)
        self._command, self._jail, self._cwd = [str(word) for word in command], jail, cwd
        self.begun: Future[subprocess.Popen[bytes]] = Future()
        # Not `join`: after a Ctrl-C in it, Python considers the thread ended.
        self.over = threading.Event()
        self.stopped: Stop = ""
        self.code: int | None = None
        self.failure: BaseException | None = None  # of the keeper itself
        self.seconds = 0.0
        self._lock = threading.Lock()
        self._inmates: Inmates | None = None
        self._unwanted = False

    def stop(self, reason: Stop = "") -> None:
        """End the jail, from any thread at any time; `reason` is the passed limit, if any."""
        with self._lock:
            self.stopped = self.stopped or reason
            self._unwanted = True
            if self._inmates is not None:
                self._inmates.kill()

    def finish(self) -> None:
        """End the jail and wait until all its processes are gone."""
        self.stop()
        if self.ident is not None:  # otherwise it was never started
            self.over.wait()

    def run(self) -> None:
        """Run the jail to its end."""
        _at_work.add(self)
        try:
            with ExitStack() as stack:
                self._keep(stack)
        except BaseException as error:
            self.failure = error
            if not self.begun.done():
                self.begun.set_exception(error)
        finally:
            _at_work.discard(self)
            self.over.set()

    def _keep(self, stack: ExitStack) -> None:
        check(self._jail)
        usage = Usage(self._jail.folders, read_only(self._jail))
        uid = stack.enter_context(lent(self._jail))
        cgroup = stack.enter_context(around(self._jail.limits))
        cell = stack.enter_context(made_ready(self._jail, uid))
        if not self._jail.confined:  # its /tmp is an ordinary folder
            usage.folders += (Path(cell.env["TMPDIR"]),)
        usage.measure_all()
        if cgroup is not None:
            cell = replace(cell, words=cgroup.words + cell.words, env=cell.env | cgroup.env)
        process, handed = self._start(cell, uid)
        stack.callback(process.wait)
        stack.callback(process.kill)  # bubblewrap takes the jail along
        inmates, places = self._take(process, handed, stack)
        try:
            if cgroup is not None:
                cgroup.entered(process.pid)
            watch = Watch(self._jail.limits, inmates, usage, places, cgroup)
            self._begin(process, inmates)
            self._watch(inmates, watch)
        finally:
            with self._lock:
                self._inmates = None
            inmates.kill()
            code = process.wait()
        self.seconds = watch.seconds()
        code = 128 - code if code < 0 else code
        last = SIGNALLED.get(code) or watch.last()
        with self._lock:
            self.stopped = self.stopped or last
        self.code = code

    def _start(self, cell: Cell, uid: int | None) -> tuple[subprocess.Popen[bytes], list[int]]:
        """Start the process; return it with the descriptors that the launcher passed out."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            order = {
                "control": theirs.fileno(),
                "confined": self._jail.confined,
                "port": None if self._jail.socket is None else self._jail.port,
                "limits": cell.limits,
                "uid": uid,
                "cwd": str(self._cwd),
            }
            launcher = [str(launcher_python()), "-I", "-S", "-c", LAUNCHER.read_text()]
            try:
                process = subprocess.Popen(
                    [*cell.words, *launcher, json.dumps(order), *self._command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=cell.env,
                    cwd="/",
                    pass_fds=[theirs.fileno(), *cell.descriptors],
                    start_new_session=True,  # the caller handles Ctrl-C
                )
            except OSError as error:  # for instance a command that is too long
                raise JailFailed(f"{self._command[0]} cannot be started: {error}") from None
            theirs.close()
            ours.settimeout(PATIENCE)
            try:
                said, handed, _, _ = socket.recv_fds(ours, 4096, 8, socket.MSG_CMSG_CLOEXEC)
            except TimeoutError:
                said, handed = b"failed it took too long", []
        if said != b"ready":
            process.kill()
            _, errors = process.communicate()
            told = said.decode(errors="replace").removeprefix("failed ")
            raise JailFailed(f"the jail could not be entered: {told or explained(errors)}")
        return process, handed

    def _take(
        self, process: subprocess.Popen[bytes], handed: list[int], stack: ExitStack
    ) -> tuple[Inmates, list[int]]:
        """Return the processes inside, and the file systems that exist only there."""
        places = []
        if self._jail.confined:
            first, proc, *places = handed[:4]
            handed = handed[4:]
            inmates: Inmates = Namespace(first, proc)
        else:
            inmates = Family(process.pid)
        stack.callback(inmates.close)
        for place in places:
            stack.callback(os.close, place)
        if self._jail.socket is not None:
            relay = Relay(socket.socket(fileno=handed[0]), self._jail.socket)
            stack.callback(relay.close)
        return inmates, places

    def _begin(self, process: subprocess.Popen[bytes], inmates: Inmates) -> None:
        with self._lock:
            self._inmates = inmates
            if self._unwanted:
                inmates.kill()
        self.begun.set_result(process)

    def _watch(self, inmates: Inmates, watch: Watch) -> None:
        end = select.poll()
        end.register(inmates.ended, select.POLLIN)
        while not end.poll(watch.pause * 1000):
            if reason := watch.verdict():
                self.stop(reason)


def explained(errors: bytes) -> str:
    """Return bubblewrap's message and what to do about it."""
    said = errors.decode(errors="replace").strip().replace("\n", "; ") or "bubblewrap said nothing"
    if any(word in said for word in ("namespace", "uid map", "RTM_NEWADDR", "not permitted")):
        return (
            f"{said}. Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu "
            "also kernel.apparmor_restrict_unprivileged_userns=0), or, in a container, run it with "
            "--privileged"
        )
    return said


_at_work: set[Keeper] = set()


@atexit.register
def _finish_all() -> None:
    for keeper in list(_at_work):
        keeper.finish()
