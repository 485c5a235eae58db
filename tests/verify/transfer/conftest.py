"""Policies are trained once and used by every test that only evaluates them."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from pathlib import Path

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache
from tests.verify.transfer.plans import QUICK, TINY

from envwright.verify.transfer.jobs import training_jobs

SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A folder that all test workers see."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def compiled(shared) -> Path:
    """Compiled programs, kept for the other workers and for children."""
    folder = shared / "compiled"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="package")
def compile_once(compiled):
    before = {name: getattr(jax.config, name) for name in (*SETTINGS, "jax_compilation_cache_dir")}
    for name, value in (SETTINGS | {"jax_compilation_cache_dir": str(compiled)}).items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


@contextmanager
def without_optimisation():
    """For programs that are hardly run: it is most of the compiler's time."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module")
def compile_quickly(compile_once):
    with without_optimisation():
        yield


@pytest.fixture(scope="session")
def child_env(compiled) -> dict[str, str]:
    """What a process that a test starts finds in its environment."""
    names = {name.upper(): str(value) for name, value in SETTINGS.items()}
    names["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "true"
    return {**os.environ, **names, "JAX_COMPILATION_CACHE_DIR": str(compiled)}


@pytest.fixture
def children_compile_once(child_env, monkeypatch):
    """Also for the workers of an executor."""
    for name, value in child_env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="package")
def trained(shared, compile_once) -> Path:
    """Five seeds of CartPole at three stages, none of them good enough to live for ever."""
    return _train(shared / "l4-trained", QUICK)


@pytest.fixture(scope="package")
def beginners(shared, compile_once) -> Path:
    """Three seeds of CartPole that have hardly learnt anything, with tiny networks."""
    with without_optimisation():
        return _train(shared / "l4-beginners", TINY)


def _train(folder: Path, plan) -> Path:
    folder.mkdir(exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the first worker trains, the others wait
        for job in training_jobs("envwright:cartpole", plan, plan.seeds, folder):
            job.run()
    return folder
