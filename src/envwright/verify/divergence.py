"""Convert between the playthroughs run on a pair and saved divergences."""

from __future__ import annotations

from typing import Any, TypeVar

from envwright.schema.divergence import Divergence, PairDivergence, Steps
from envwright.schema.tolerance import Tolerances
from envwright.sim.registered import is_registered, is_registered_bridge, untrusted
from envwright.sim.sizes import LARGEST
from envwright.verify.pair import Found, PairSpec, Playthrough

UNSTEADY = "the same operations did not show it again: the twin remembers or draws something"
Kind = TypeVar("Kind", bound=Divergence)


def describe(
    spec: PairSpec,
    level: int,
    found: Found,
    playthrough: Playthrough,
    origin: str,
    hint: str = "",
    kind: type[Kind] = Steps,  # type: ignore[assignment]
    **more: Any,
) -> Kind:
    """Return the divergence that a playthrough showed."""
    evidence = {
        "bridge": spec.bridge if isinstance(spec.bridge, str) else "",
        "tolerances": spec.tolerances.to_json(),
        "include_terminal": spec.include_terminal,
        "seed": playthrough.seed,
        "actions": playthrough.actions,
        "start": playthrough.start,
        "resync": playthrough.resync,
    }
    return kind(
        level=level,
        reference=name_of(spec.reference),
        twin=name_of(spec.twin),
        field=found.mismatch.field,
        reference_value=found.mismatch.reference,
        twin_value=found.mismatch.twin,
        tolerance=found.mismatch.tolerance,
        step=found.step,
        origin=origin,
        raised=found.raised,
        hint=hint,
        **{k: v for k, v in evidence.items() if k in kind.__struct_fields__},
        **more,
    )


def playthrough_of(divergence: Steps) -> Playthrough:
    """Return what to run on both sides to see a divergence again."""
    return Playthrough(divergence.actions, divergence.seed, divergence.start, divergence.resync)


def unregistered(divergence: PairDivergence) -> str:
    """Return the first name in a divergence that is not registered; "" if it may be replayed."""
    for name in (divergence.reference, divergence.twin):
        if not is_registered(name):
            return name
    return "" if is_registered_bridge(divergence.bridge) else divergence.bridge


def pair_spec(divergence: PairDivergence, trust: bool = False) -> PairSpec:
    """Return the comparison that a divergence came from.

    Raises for names that nothing registers, unless they are trusted: opening a pair runs what its
    names stand for, and a divergence may come from a file. Without trust, sizes are bounded, too.
    """
    if not trust and (name := unregistered(divergence)):
        raise untrusted(name, divergence.path or "the divergence")
    return PairSpec(
        divergence.reference,
        divergence.twin,
        divergence.bridge or None,
        Tolerances.from_json(divergence.tolerances),
        include_terminal=divergence.include_terminal,
        largest=None if trust else LARGEST,
    )


def name_of(simulator: Any) -> str:
    """Return a simulator's name, or the name of a function or object."""
    if isinstance(simulator, str):
        return simulator
    return getattr(simulator, "name", None) or getattr(simulator, "__qualname__", str(simulator))
