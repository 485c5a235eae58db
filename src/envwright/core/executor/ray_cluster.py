"""Joining a ray cluster for as long as there is work, and leaving nothing behind."""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache

from envwright.errors import EnvwrightError, MissingPackage

OBJECT_STORE = 256 * 2**20  # bytes of shared memory; what does not fit goes to disk
HERE = "local"  # ray's word for a new cluster on this machine
# What ray prints about a worker that dies; this package retries, and says it in its own words.
NOISE = {"RAY_DEDUP_LOGS_SKIP_REGEX": "A worker died or was killed", "RAY_SCHEDULER_EVENTS": "0"}


def require_ray() -> None:
    """Say how to install ray if it is missing."""
    try:
        with _environment(NOISE):  # read when ray is imported
            importlib.import_module("ray")
    except ImportError as error:
        raise MissingPackage("the ray executor needs ray; pip install 'envwright[ray]'") from error


def count_cpus() -> int:
    """Return the number of CPUs of the cluster that `joined` gives."""
    import ray

    if _address() == HERE and not ray.is_initialized():
        return os.cpu_count() or 1
    with joined():
        return max(1, int(ray.cluster_resources().get("CPU", 1)))


_lock = threading.RLock()
_users = 0
_membership = ExitStack()  # the last user closes it
atexit.register(_membership.close)  # for a map that was left in the middle


@contextmanager
def joined(cpus: int | None = None) -> Generator[None]:
    """Join a cluster for the duration of the block.

    This is the one that the process has joined already, the one at RAY_ADDRESS, or else a new one
    on this machine with `cpus` CPUs, which ends when nobody uses it any more.
    """
    global _users
    import ray

    with _lock:
        if not ray.is_initialized():
            address = _address()
            joining = _started(cpus) if address == HERE else _connected(address)
            _membership.enter_context(joining)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _membership.close()


def _address() -> str:
    return os.environ.get("RAY_ADDRESS") or HERE


@contextmanager
def _connected(address: str) -> Generator[None]:
    """Join a cluster that others started, and that goes on without us."""
    import ray

    hint = (
        f"cannot join the ray cluster at RAY_ADDRESS={address}; see that it runs, with this "
        "version of ray and Python, or unset RAY_ADDRESS to work on this machine alone"
    )
    with _sigterm_restored(), _left_afterwards():
        with _explained(hint):
            _check_that_somebody_listens(address)
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        yield


def _check_that_somebody_listens(address: str) -> None:
    """Fail at once if nothing listens there; ray itself tries for two minutes."""
    host, _, port = address.rpartition(":")
    if host and "://" not in host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


@contextmanager
def _started(cpus: int | None) -> Generator[None]:
    """Start a cluster on this machine: no dashboard, no statistics, no files that stay."""
    import ray

    hint = "ray does not start on this machine; use the executor process instead"
    with _sigterm_restored(), _temporary_folder() as folder, _left_afterwards():
        with (
            _explained(hint),
            _environment(_settings()),
            _undisturbed(),
            warnings.catch_warnings(),
        ):
            # JAX warns of every fork; in ray's, another program takes over at once.
            warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
            ray.init(
                HERE,
                num_cpus=cpus or os.cpu_count() or 1,
                object_store_memory=OBJECT_STORE,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
                _temp_dir=folder,
            )
        yield


@contextmanager
def _left_afterwards() -> Generator[None]:
    """Leave the cluster in the end, which stops one that this process started."""
    import ray

    try:
        yield
    finally:
        with _undisturbed():
            ray.shutdown()


@contextmanager
def _explained(hint: str) -> Generator[None]:
    try:
        yield
    except Exception as error:
        why = " ".join(str(error).split())
        raise EnvwrightError(f"{hint} ({type(error).__name__}: {why})") from error


def _temporary_folder() -> AbstractContextManager[str]:
    # Short, since the path of a socket may have 107 characters and ray adds 60 to this one.
    return tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)


def _settings() -> dict[str, str]:
    """Return the settings of a cluster of our own, unless the user sets others."""
    return {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": _token()}


@cache
def _token() -> str:
    """Return a token that keeps others out; without it, ray writes one into the home folder.

    One for the whole process, because ray remembers the first.
    """
    return secrets.token_hex(32)


@contextmanager
def _environment(settings: Mapping[str, str]) -> Generator[None]:
    """Set environment variables for processes started in the block, unless they are set already."""
    before = set(os.environ)
    os.environ.update({name: text for name, text in settings.items() if name not in before})
    try:
        yield
    finally:
        for name in set(os.environ) - before:  # also those that ray sets
            del os.environ[name]


@contextmanager
def _undisturbed() -> Generator[None]:
    """Delay Ctrl-C to the end of the block: interrupting ray leaves processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _sigterm_restored() -> Generator[None]:
    """Restore the handler of SIGTERM, which `ray.init` replaces."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
