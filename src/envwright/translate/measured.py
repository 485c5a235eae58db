"""Measure the speed of a finished translation beside its reference."""

from __future__ import annotations

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
from envwright.translate.room import open_room
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.translate.stored_runs import last_run, open_run


class Translation(FusedRoom):
    """A JAX environment that the recipe wrote, stepped as a batch in one scan."""

    def __init__(self, env: Any) -> None:
        super().__init__(env.id, name="translation")
        self._translated = env

    def _env(self) -> AutoReset:
        return AutoReset(self._translated, self.strategy)


class Reference(GymnasiumLoop):
    """The reference in a Python loop, with the options in its name."""

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        import gymnasium

        target, options = split_options(self.id)
        spec = gymnasium.spec(target)
        made = spec.make(**options)
        with_options: Any = made.spec  # gymnasium.make takes it in place of an id
        made.close()
        return GymnasiumLoop(with_options, self.actions, self.role).prepare(batch, kind)


def bench_translation(
    folder: Path, batches: tuple[int, ...], repeats: int, seconds: float, progress: Callable
) -> Bench:
    """Measure a folder's newest verified run and its reference."""
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
            "only code of the compiler is measured outside a sandbox; "
            "use envwright optimise to race the code of other agents"
        )
    return open_room(spec.folder).make()


def _gymnasium_id(spec: TranslationSpec) -> str:
    scheme, _, name = spec.reference.simulator.partition(":")
    if scheme != "gymnasium" or spec.target.backend != "jax":
        raise EnvwrightError("only JAX translations of Gymnasium environments can be measured")
    return name
