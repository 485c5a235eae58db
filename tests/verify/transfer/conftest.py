"""Policies are trained once and used by every test that only evaluates them."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from pathlib import Path

import jax
import pytest
from tests.verify.transfer.plans import QUICK, TINY

from envwright.verify.transfer.jobs import training_jobs


@contextmanager
def without_optimisation():
    """For programs that are hardly run: it is most of the compiler's time."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module")
def compile_quickly():
    with without_optimisation():
        yield


@pytest.fixture(scope="session")
def child_env(child_env) -> dict[str, str]:
    """What a process that a test starts finds in its environment."""
    return child_env | {"JAX_DISABLE_MOST_OPTIMIZATIONS": "true"}


@pytest.fixture
def children_compile_once(child_env, monkeypatch):
    """Also for the workers of an executor."""
    for name, value in child_env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="package")
def trained(shared) -> Path:
    """Five seeds of CartPole at three stages, none of them good enough to live for ever."""
    return _train(shared / "l4-trained", QUICK)


@pytest.fixture(scope="package")
def beginners(shared) -> Path:
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
