"""Judge an extension module with a bug in it by the levels.

Every level runs in a fork of a process that holds the recorded evidence: the module is loaded
there, may panic, crash or never come back, and is gone with it.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import importlib.util
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.sim.resolve import as_simulator
from envwright.verify.adequacy.evidence import Evidence, Verdict
from envwright.verify.adequacy.mutation.loading import load_mutant_package
from envwright.verify.adequacy.mutation.rust.workspace import MODULE, library_of
from envwright.verify.room import RoomChecks, load_room
from envwright.verify.run import Effort

PATIENCE = 10  # multiple of the level's time without a bug
LEAST = 20.0  # seconds that any level is given
_PR_SET_PDEATHSIG = 1  # from linux/prctl.h


@dataclass(frozen=True)
class NativeWork:
    """A module to be judged, as bytes, so that workers need not share a disk."""

    env: str
    backend: str
    effort: Effort
    seed: int
    levels: tuple[str, ...]
    until_noticed: bool
    original: bytes
    changed: bytes


@dataclass
class _Court:
    """The state of a worker: the evidence, and how long each level takes without a bug."""

    evidence: Evidence
    seed: int
    limits: dict[str, float] = field(default_factory=dict)


_COURTS: dict[str, _Court] = {}


def judge_native(work: NativeWork) -> Verdict:
    """Run each level alone, or up to the first that notices.

    The first call in a process records the evidence.
    """
    court = _court(work)
    levels, crashed = [], False
    with _as_file(work.changed) as path:
        for level in work.levels:
            answer = _asked(court, level, path, court.limits[level])
            levels += [level] if answer != "equal" else []
            crashed = crashed or answer == "crashed"
            if levels and work.until_noticed:
                break
    return Verdict(levels, crashed)


def _court(work: NativeWork) -> _Court:
    key = repr((work.env, work.backend, work.effort, work.seed))
    if key not in _COURTS:
        room = load_room(work.env, work.backend)
        court = _Court(Evidence.record(room, work.effort, work.seed), work.seed)
        court.evidence.rehearse(work.seed)
        gc.collect()
        gc.freeze()  # a collection in a fork would copy all of the evidence
        with _as_file(work.original) as path:
            for level in work.levels:
                court.limits[level] = _time_without_bug(court, level, path)
        _COURTS[key] = court
    return _COURTS[key]


def _time_without_bug(court: _Court, level: str, path: str) -> float:
    began = time.monotonic()
    if _asked(court, level, path, limit=3600.0) != "equal":
        raise EnvwrightError(
            f"{court.evidence.room.spec.id} ({court.evidence.room.backend}) differs from its "
            f"reference on level {level[1:]} without any bug; run envwright verify first"
        )
    return max(LEAST, PATIENCE * (time.monotonic() - began))


def _asked(court: _Court, level: str, path: str, limit: float) -> str:
    """Return `equal`, `differs` or `crashed`; a missing answer counts as crashed."""

    def ask() -> str:
        evidence = court.evidence
        with _native(evidence.room, path):
            twins = evidence.with_twins(lambda spec: as_simulator(spec.twin))
            differs = twins.differs(level, court.seed)
        return "crashed" if twins.raised else "differs" if differs else "equal"

    return _in_fork(ask, limit) or "crashed"


@contextmanager
def _native(room: RoomChecks, path: str) -> Iterator[None]:
    """Make the room use another build of the extension module within the block."""
    name = library_of(room.spec)
    parent = sys.modules[name.rpartition(".")[0]]
    loader = ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    before = sys.modules.get(name)
    try:
        sys.modules[name] = module
        setattr(parent, MODULE, module)
        with load_mutant_package(room.packages, {}):
            sys.modules[name] = module  # a package's own was imported afresh with the package
            yield
    finally:
        if before is not None:
            sys.modules[name] = before
            setattr(parent, MODULE, before)


@contextmanager
def _as_file(library: bytes) -> Iterator[str]:
    """Write a module's bytes to a file for the system's loader."""
    with tempfile.TemporaryDirectory() as folder:
        # A name of its own: the loader knows modules by their paths.
        path = Path(folder) / f"{MODULE}.abi3.so"
        path.write_bytes(library)
        yield str(path)


def _in_fork(ask: Callable[[], str], limit: float) -> str:
    """Call a function in a fork of this process and return its answer; "" if there is none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(ask, reading, writing)
    os.close(writing)
    try:
        heard, _, _ = select.select([reading], [], [], limit)
        return os.read(reading, 64).decode() if heard else ""
    finally:  # also after Ctrl-C
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(ask: Callable[[], str], reading: int, writing: int) -> None:
    """Answer in the fork, and exit without the usual clean-up."""
    try:
        os.close(reading)
        _die_with_parent()
        faulthandler.disable()  # messages of crashes and panics are not read
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writing, ask().encode())
    finally:
        os._exit(0)


def _die_with_parent() -> None:
    """End this process with its parent, which may be killed and cannot clean up then."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
