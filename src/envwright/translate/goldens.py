"""Golden pairs of a translation: recorded once, some shown to the agent, others held back."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.schema.translation import Golden, Module
from envwright.sim.records import Fields
from envwright.translate.cargo import require_cargo
from envwright.translate.spec import TranslationSpec
from envwright.verify.golden import Call, Some, instrumented, load_golden, save_golden
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import PairSpec
from envwright.verify.sampling import Sampler

SHOWN_SEED = 0
EPISODES, FUZZED, BOUNDARY = 6, 300, 60
MOST = 3000  # calls that are kept of one recording
FEW = 6  # written examples, of which none is held back


@dataclass(frozen=True)
class Recording:
    """Golden pairs of one function."""

    module: Module
    golden: Golden
    shown: Path
    held_back: Path

    @property
    def name(self) -> str:
        """`dynamics-step`: module and function."""
        return f"{self.module.name}-{self.golden.ours}"

    def examples(self, count: int = 6) -> list[tuple[Fields, Fields]]:
        """Return some pairs that differ in kind: by flags first, then evenly spread."""
        inputs, outputs = self.only(load_golden(self.shown))
        rows = len(next(iter(inputs.values())))
        kinds = _kinds(outputs, rows)
        first = [int(np.flatnonzero(kinds == k)[0]) for k in np.unique(kinds)][: count - 1]
        spread = [int(i) for i in np.linspace(0, rows - 1, count)]
        chosen = sorted(dict.fromkeys(first + spread))[:count]
        return [
            ({k: v[i] for k, v in inputs.items()}, {k: v[i] for k, v in outputs.items()})
            for i in chosen
        ]

    def only(self, call: Call) -> Call:
        """Restrict a call to the outputs that are compared."""
        inputs, outputs = call
        wanted = self.golden.outputs or tuple(outputs)
        unknown = [name for name in wanted if name not in outputs]
        if unknown:
            raise EnvwrightError(
                f"{self.golden.target or self.golden.ours} has no output {unknown[0]!r}; "
                f"use {', '.join(outputs)}"
            )
        return inputs, {name: outputs[name] for name in wanted}


def record(spec: TranslationSpec, folder: Path, secret: int = 1) -> list[Recording]:
    """Record all golden pairs of a specification, unless they are in `folder` already.

    The held-back pairs come from episodes with another seed, which the agent cannot know.
    """
    recordings = []
    for module, golden in ((m, golden) for m in spec.modules for golden in m.golden):
        stem = f"{module.name}-{golden.ours}"
        paths = folder / f"{stem}.npz", folder / f"{stem}.held-back.npz"
        recordings.append(Recording(module, golden, *paths))
    for which, seed in (("shown", SHOWN_SEED), ("held_back", secret)):
        missing = [r for r in recordings if not getattr(r, which).exists()]
        for recording, pairs in zip(missing, _pairs(spec, missing, seed), strict=True):
            save_golden(getattr(recording, which), pairs)
    return recordings


def _pairs(spec: TranslationSpec, recordings: list[Recording], seed: int) -> list[list[Call]]:
    """Return the calls of each function, recorded in one play where they are played."""
    played = iter(_played(spec, [r.golden for r in recordings if not r.golden.examples], seed))
    return [_written(r.golden, seed) if r.golden.examples else next(played) for r in recordings]


def require_usable(spec: TranslationSpec) -> None:
    """Raise if the reference cannot be compared with itself, before anything is asked."""
    if not spec.modules:
        raise EnvwrightError(f"{spec.path} names no [[modules]] to write; add at least one")
    if spec.target.backend == "rust":
        require_cargo()
    name = spec.reference.simulator
    for check in spec.checks:  # a tolerance for a field that is not there is nobody else's fault
        other = check.reference or name
        PairSpec(other, other, tolerances=check.tolerances).open().close()
    with closing(PairSpec(name, name).open()) as pair:
        if not pair.comparable:
            raise EnvwrightError(f"{name} cannot serve as a reference: {pair.why_not}")


def _played(spec: TranslationSpec, wanted: list[Golden], seed: int) -> list[list[Call]]:
    """Record calls while the reference plays from visited, fuzzed and boundary states."""
    if not wanted:
        return []
    name = spec.reference.simulator
    with ExitStack() as opened:
        pair = opened.enter_context(closing(PairSpec(name, name).open()))
        calls = [
            opened.enter_context(instrumented(g.target, g.attributes, Some(MOST, seed)))
            for g in wanted
        ]
        sampler = Sampler(pair, seed, spec.effort.policies or DEFAULT_POLICIES)
        visited = sampler.visited(EPISODES)
        if pair.transplants and not pair.stochastic:
            sampler.fuzzed(visited, FUZZED)
            sampler.boundary(visited, BOUNDARY)
    return calls


def _written(golden: Golden, seed: int) -> list[Call]:
    """Return the written examples. Every other one is held back if there are enough."""
    pairs = [(_arrays(e.inputs), _arrays(e.outputs)) for e in golden.examples]
    if len(pairs) < FEW:
        return pairs
    return pairs[0::2] if seed == SHOWN_SEED else pairs[1::2]


def _arrays(side: dict[str, Any]) -> Fields:
    return {name: np.asarray(value) for name, value in side.items()}


def _kinds(outputs: Fields, rows: int) -> np.ndarray:
    """Number the rows so that rows with different flags or small integers differ."""
    flags: list[Any] = [
        v.reshape(rows, -1).astype(np.int64) for v in outputs.values() if v.dtype.kind in "bui"
    ]
    if not flags:
        return np.zeros(rows, np.int64)
    return np.unique(np.concatenate(flags, axis=1), axis=0, return_inverse=True)[1].reshape(rows)
