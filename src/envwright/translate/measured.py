"""How fast a finished translation is, beside its reference."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envwright.bench.fused import FusedRoom
from envwright.bench.implementation import Kind, Prepared
from envwright.bench.peers import GymnasiumLoop
from envwright.bench.throughput import run_bench
from envwright.core.wrappers import AutoReset
from envwright.errors import EnvwrightError
from envwright.schema.results import Bench
from envwright.sim.names import split_options
from envwright.translate.jailed import last_module
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.translate.start import last_run, open_run


class Translation(FusedRoom):
    """A JAX environment that the recipe wrote: a batch in one scan."""

    def __init__(self, env: Any) -> None:
        super().__init__(env.id, name="translation")
        self._translated = env

    def _env(self) -> AutoReset:
        return AutoReset(self._translated, self.strategy)


class Reference(GymnasiumLoop):
    """The reference in a Python loop, with the options that its name has."""

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        import gymnasium

        target, options = split_options(self.id)
        spec = gymnasium.spec(target)
        made = spec.make(**options)
        plain, self.id = self.id, made.spec
        try:
            return super().prepare(batch, kind)
        finally:
            self.id = plain
            made.close()


def bench_translation(
    folder: Path, batches: tuple[int, ...], repeats: int, seconds: float, progress: Callable
) -> Bench:
    """Steps per second of the newest verified run of a folder, and of its reference."""
    spec = load_spec(folder)
    env = _environment(spec)
    contenders = (Reference(_gymnasium_id(spec), env.action_space()), Translation(env))
    return run_bench(
        spec.id, batches, repeats, seconds=seconds, progress=progress, implementations=contenders
    )


def _environment(spec: TranslationSpec) -> Any:
    run = last_run(spec, ended="verified")
    if run is None:
        raise EnvwrightError(f"{spec.folder} has no verified run; translate it first")
    begun = open_run(run).journal.of("begun", "resumed")
    if any(event["agent"].get("kind") != "compiler" for event in begun):
        raise EnvwrightError(
            "only what the compiler wrote is measured outside of a sandbox; "
            "envwright optimise races what other agents wrote"
        )
    sys.path.insert(0, str(run / "workspace" / "src"))
    try:
        module, _, entry = last_module(spec).partition(":")
        return getattr(importlib.import_module(f"{spec.target.package}.{module}"), entry)()
    finally:
        sys.path.pop(0)


def _gymnasium_id(spec: TranslationSpec) -> str:
    scheme, _, name = spec.reference.simulator.partition(":")
    if scheme != "gymnasium" or spec.target.backend != "jax":
        raise EnvwrightError("only translations of Gymnasium environments to JAX are measured so")
    return name
