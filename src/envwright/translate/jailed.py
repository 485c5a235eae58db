"""Run the code of a workspace in a jail and call it over a pipe.

The judge never imports the code: what decides runs outside, out of its reach.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwright import sandbox
from envwright.core.package import FOLDER
from envwright.sandbox import (
    Finished,
    Jail,
    Limits,
    finished_rooms,
    python_runtime,
    run,
    start,
    tree,
)
from envwright.schema.names import join_options
from envwright.schema.translation import Check
from envwright.sim.command import CommandSimulator
from envwright.sim.conversation import Child, Conversation
from envwright.sim.program import OWN_BATCHES, RESTARTS
from envwright.translate.allowed import forbidden
from envwright.translate.apart import jax_runtime, reference_places, strangers
from envwright.translate.spec import TranslationSpec

SERVE = "envwright.sim.program"
PATIENCE = 180.0  # seconds for one answer: the first of a kind is compiled
TWIN_LIMITS = Limits(seconds=3600, memory_mb=6144, processes=512)
TEST_LIMITS = Limits(seconds=300, memory_mb=6144, processes=512)


@dataclass(frozen=True)
class Twin:
    """A translation as the judge calls it, whatever its backend."""

    spec: TranslationSpec
    workspace: Path
    scratch: Path  # writable in the jail; the workspace is not
    confined: bool = True

    def functions(self) -> AbstractContextManager[Conversation]:
        """Open a conversation that calls functions of the modules written so far."""
        raise NotImplementedError

    def simulator(self, check: Check) -> CommandSimulator:
        """Open the environment with the settings of a check."""
        raise NotImplementedError

    def entry(self, check: Check) -> str:
        """Return a readable name of the environment with these settings."""
        raise NotImplementedError

    def trained_as(self, check: Check) -> str:
        """Return the name that opens the environment in the jail of `run`."""
        return self.entry(check)

    def own_tests(self) -> Finished | None:
        """Run the agent's own tests, if any. The last line of stdout summarises them."""
        raise NotImplementedError

    def run(
        self,
        command: list[str],
        limits: Limits,
        writable: tuple[Path, ...] = (),
        readable: tuple[Path, ...] = (),
    ) -> Finished:
        """Run one of our programs that uses the code, in the same jail."""
        jail = self._jail("programs", limits)
        jail = replace(jail, writable=jail.writable + writable, readable=jail.readable + readable)
        return run(command, jail, cwd=self.workspace)

    def forbidden(self) -> list[str]:
        """Return a sentence for each forbidden use, from reading the code."""
        return []

    def strangers(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each file that its processes must not have loaded."""
        return []

    def _jail(self, name: str, limits: Limits) -> Jail:
        raise NotImplementedError

    def _scratch(self, name: str) -> Path:
        """Return a folder for one jail at a time."""
        return tree.reused(self.scratch / name)


def twin_for(
    spec: TranslationSpec,
    workspace: Path,
    scratch: Path,
    confined: bool = True,
    raced: bool = False,
) -> Twin:
    """Open the translation in a workspace for its specification's backend.

    With `raced`, code may have batches of its own: a race compares them with single steps.
    """
    if spec.target.backend == "jax":
        return JaxTwin(spec, workspace, scratch, confined, raced)
    from envwright.translate.rust_twin import RustTwin

    return RustTwin(spec, workspace, scratch, confined)


@dataclass(frozen=True)
class JaxTwin(Twin):
    """A Python package that is imported in the jail."""

    raced: bool = False  # whether a race compares its batches with single steps

    @contextmanager
    def functions(self) -> Iterator[Conversation]:
        conversation = Conversation(lambda: self._serve(""), PATIENCE)
        conversation.packed = True
        try:
            yield conversation
        finally:
            conversation.close()

    def simulator(self, check: Check) -> CommandSimulator:
        name = self.entry(check)
        return CommandSimulator(name, name=name, start=lambda: self._serve(name), patience=PATIENCE)

    def entry(self, check: Check) -> str:
        """`python:package.module:Class?dtype=float64`."""
        name = f"python:{self.spec.target.package}.{last_module(self.spec)}"
        return join_options(name, check.options)

    def forbidden(self) -> list[str]:
        package = self.spec.target.package
        return forbidden(self.workspace / "src" / package, package)

    def own_tests(self) -> Finished | None:
        if not any((self.workspace / "tests" / "own").rglob("test_*.py")):
            return None
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        return self.run([*command, "tests/own"], TEST_LIMITS)

    def strangers(self, report: Mapping[str, Any]) -> list[str]:
        return strangers(report, self.spec, self._source, self.confined)

    @property
    def _source(self) -> Path:
        return self.workspace / "src" / self.spec.target.package

    def _serve(self, name: str) -> Child:
        """Start the processes that answer. They see the code, and nothing to copy answers from."""
        package = self.spec.target.package
        command = [sys.executable, "-m", SERVE, name, str(self._source.parent), package]
        command += [OWN_BATCHES] * self.raced + [RESTARTS] * self.spec.target.restarts
        self._source.mkdir(parents=True, exist_ok=True)
        jail = Jail(
            readable=(*jax_runtime(), self._source),
            hidden=reference_places(self.spec),
            env={
                "PYTHONPATH": str(FOLDER.parent),
                "PYTHONSAFEPATH": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "JAX_PLATFORMS": "cpu",
            },
            limits=TWIN_LIMITS,
            confined=self.confined,
        )
        return Served(start(command, jail, cwd=self.workspace), jail.limits)

    def _jail(self, name: str, limits: Limits) -> Jail:
        scratch = self._scratch(name)
        return Jail(
            writable=(scratch,),
            readable=(*python_runtime(), self.workspace),
            hidden=finished_rooms(),
            env={
                "PYTHONPATH": str(self.workspace / "src"),
                "PYTHONDONTWRITEBYTECODE": "1",
                "JAX_PLATFORMS": "cpu",
                "JAX_COMPILATION_CACHE_DIR": str(scratch / "compiled"),
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            },
            limits=limits,
            confined=self.confined,
        )


class Served:
    """A jailed child process that can report why it ended."""

    def __init__(self, child: sandbox.Child, limits: Limits) -> None:
        self._child, self._limits = child, limits
        self.stdin, self.stdout = child.stdin, child.stdout

    @property
    def last_words(self) -> str:
        """The limit that was reached, or the last line on stderr."""
        if self._child.stopped:
            return self._limits.why(self._child.stopped)
        return (self._child.errors.strip().splitlines() or [""])[-1][:300]

    def close(self) -> None:
        """End the process and its children."""
        self._child.close()


def last_module(spec: TranslationSpec) -> str:
    """Return `env:CartPole`: the environment's module and class."""
    return f"{spec.modules[-1].stem}:{spec.target.entry}"
