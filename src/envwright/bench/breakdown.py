"""Where the time of a PPO iteration goes, for networks from small to 200M parameters.

Sizes run one after another, since a large agent fills the memory; within a size ours and the
reference take turns with one agent, every one once per repeat, in an order that rotates.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from envwright.bench.implementation import Implementation, Role
from envwright.bench.machine import describe_machine
from envwright.bench.tables import reason_of
from envwright.bench.throughput import alternating, declared_for
from envwright.core.progress import Progress, quiet
from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.schema.results import Breakdown, BreakdownRow, Skipped
from envwright.sim.actions import SEED
from envwright.train.shapes import parse_shape


@dataclass(frozen=True)
class Plan:
    """The amount of work that is small enough to repeat, for a network of some size."""

    batch: int
    rollout: int


# Work grows with parameters times rows, so there are fewer rows where there are more parameters.
SMALL = Plan(64, 32)  # for networks that are named by their layers
PLANS = {
    "64x64": SMALL,
    "2M": Plan(64, 32),
    "20M": Plan(64, 8),
    "200M": Plan(32, 8),
}


@dataclass
class Entrant:
    """An implementation at one size, and its measurements."""

    implementation: Implementation
    parts: Any  # FusedParts or HostParts
    samples: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, agent: Any, keep: bool = True) -> Any:
        """Measure one repeat; return the agent, whose memory was reused."""
        agent, seconds = self.parts.measure(agent)
        for name, value in seconds.items() if keep else ():
            self.samples.setdefault(name, []).append(value)
        return agent


def run_breakdown(
    env_name: str,
    sizes: Sequence[str] = tuple(PLANS),
    repeats: int = 5,
    progress: Progress = quiet,
    implementations: Sequence[Implementation] | None = None,
) -> Breakdown:
    """Time the parts of an iteration of ours and of the reference, for each size."""
    spec = find(env_name)
    check_sizes(sizes)
    if repeats < 1:
        raise EnvwrightError(f"a benchmark needs at least 1 repeat (5 for a result), not {repeats}")
    declared = declared_for(spec) if implementations is None else tuple(implementations)
    chosen = taken_apart(declared)
    if not chosen:
        raise EnvwrightError(f"{spec.name} has no breakdown; declare a FusedPPO or a HostPPO")
    machine = describe_machine()
    rows: list[BreakdownRow] = []
    skipped: list[Skipped] = []
    turns = len(chosen) * (1 + repeats)
    total = turns * len(set(sizes))
    for number, size in enumerate(dict.fromkeys(sizes)):

        def told(done: int, text: str, size: str = size, before: int = number * turns) -> None:
            progress(f"{size}: {text}", before + done, total)

        rows += _one_size(chosen, size, repeats, told, skipped)
        gc.collect()  # the next size needs the memory of this one
    progress("done", total, total)
    return Breakdown(
        machine=machine,
        env=spec.name,
        settings=_settings(sizes, repeats, chosen),
        rows=rows,
        skipped=skipped,
    )


def check_sizes(sizes: Sequence[str]) -> None:
    """Reject what is neither a size that has a plan nor the layers of a network."""
    unknown = [size for size in sizes if size not in PLANS and not _is_layers(size)]
    if unknown or not sizes:
        said = f"not {unknown[0]!r}; or layers, such as 128x128" if unknown else "at least one"
        raise EnvwrightError(f"a breakdown knows the sizes {', '.join(PLANS)}, {said}")


def _is_layers(text: str) -> bool:
    try:
        return parse_shape(text) is not None
    except EnvwrightError:
        return False


def plan_of(size: str) -> Plan:
    """Return the plan for a network."""
    return PLANS.get(size, SMALL)


def taken_apart(declared: Sequence[Implementation]) -> list[Implementation]:
    """Return our implementations and the reference, as far as they can be taken apart."""
    roles = (Role.OURS, Role.REFERENCE)
    plain = [each for each in declared if not getattr(each, "gru", False)]
    return [each for each in plain if hasattr(each, "parts") and each.role in roles]


def _one_size(
    chosen: Sequence[Implementation], size: str, repeats: int, told: Any, skipped: list[Skipped]
) -> list[BreakdownRow]:
    import jax

    from envwright.bench.ppo import bench_config
    from envwright.train.runners import parameters

    config = bench_config(plan_of(size).batch, plan_of(size).rollout, size)
    with ExitStack() as closing:
        entrants = []
        for done, each in enumerate(chosen):
            told(done, f"preparing {each.name}")
            try:
                parts = each.parts(config)  # type: ignore[attr-defined]
            except Exception as error:
                if each.role == Role.OURS:
                    raise
                skipped.append(Skipped(each.name, f"size {size}: {reason_of(error)}"))
                continue
            closing.callback(parts.close)
            entrants.append(Entrant(each, parts))
        ppo = entrants[0].parts.ppo
        agent = jax.jit(ppo.init)(jax.random.key(SEED))
        for entrant in entrants:
            agent = entrant.measure(agent, keep=False)  # compiles
        for done, (repeat, entrant) in enumerate(alternating(entrants, repeats), len(chosen)):
            told(done, f"repeat {repeat + 1}: {entrant.implementation.name}")
            agent = entrant.measure(agent)
        return [_row(entrant, size, parameters(ppo)) for entrant in entrants]


def _row(entrant: Entrant, size: str, parameters: int) -> BreakdownRow:
    from envwright.bench.parts import PARTS, WHOLE

    seconds = {part: statistics.fmean(entrant.samples[part]) for part in PARTS}
    whole = sum(seconds.values())
    return BreakdownRow(
        implementation=entrant.implementation.name,
        role=entrant.implementation.role,
        size=size,
        parameters=parameters,
        batch=plan_of(size).batch,
        rollout=plan_of(size).rollout,
        seconds=seconds,
        share={part: value / whole for part, value in seconds.items()},
        iteration_seconds=statistics.fmean(entrant.samples[WHOLE]),
        samples=entrant.samples,
    )


def _settings(
    sizes: Sequence[str], repeats: int, chosen: Sequence[Implementation]
) -> dict[str, Any]:
    from envwright.bench.ppo import ppo_settings

    return {
        "kind": "breakdown",
        "sizes": list(dict.fromkeys(sizes)),
        "repeats": repeats,
        "seed": SEED,
        "order": "sizes one after another; within one, every implementation once per repeat, the "
        "order rotated by one each repeat, all with one agent",
        "share": "of the sum of the parts",
        "iteration": "a whole iteration, timed too. Fused: one program, and its parts compiled "
        "apart on a recorded roll-out, so that their sum need not be the whole. Host: the parts "
        "are stretches of the iteration, waited for one by one; the rest is the loop in Python",
        "transfer": "between environment and device, copies included; 0 where both are one",
        "ppo": {**ppo_settings(), "network": "the size", "rollout": "see rows"},
        "timed": {each.name: each.timed for each in chosen},
    }
