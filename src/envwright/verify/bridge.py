"""Find the bridge between two simulators' states: requested, known, or inferred."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from envwright.core.bridge import Bridge, Columns, Fields, SameNames
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.records import as_state, state_of, without_state
from envwright.sim.simulator import Simulator

BOOKKEEPING = ("time", "t", "step", "steps", "key", "rng", "prng_key")


def infer_bridge(reference: Fields, twin: Fields) -> Bridge | None:
    """Infer a bridge for two states with the same numbers in the same order, else None.

    Equal names and shapes first; else floats are matched by position, and `time` by name.
    A twin may hold more fields than the reference, at the end.
    """
    if reference.keys() <= twin.keys() and all(
        twin[k].shape == v.shape for k, v in reference.items()
    ):
        return SameNames()
    pairs: dict[str, str | tuple[str, ...]] = {}
    if "time" in reference and "time" in twin:
        pairs["time"] = "time"
    wanted = {k: v for k, v in reference.items() if k not in BOOKKEEPING}
    offered = {k: v for k, v in twin.items() if k not in BOOKKEEPING}
    if not all(v.dtype.kind == "f" for v in wanted.values()):
        return None
    left = [(k, v) for k, v in offered.items() if v.dtype.kind == "f"]
    for name, value in wanted.items():
        if left and left[0][1].shape == value.shape:
            pairs[name] = left.pop(0)[0]
        elif len(left) >= value.size > 0 and all(v.ndim == 0 for _, v in left[: value.size]):
            pairs[name] = tuple(k for k, _ in left[: value.size])
            left = left[value.size :]
        else:
            return None
    return Columns(pairs, inferred=True) if wanted else None


def load_bridge(name: str) -> Bridge:
    """Load the bridge `python:module:attribute`, an object or a class to make one."""
    scheme, target, _ = parse_name(name)
    if scheme != "python" or not target:
        raise EnvwrightError(f"{name!r} does not name a bridge; write python:module:attribute")
    named: Any = load_attribute(target)
    return cast(Bridge, named() if isinstance(named, type) else named)


def choose_bridge(
    reference: Simulator, twin: Simulator, asked: str | Bridge | None = None
) -> Bridge | None:
    """Return the requested bridge, a known one, or one inferred from both states; else None."""
    if isinstance(asked, str):
        asked = load_bridge(asked)
    if asked is not None:
        missing = [m for m in ("to_twin", "to_reference") if not hasattr(asked, m)]
        if missing:
            raise EnvwrightError(f"the bridge has no {' and no '.join(missing)}")
        return asked
    if not (reference.loads and twin.loads):
        return None
    from envwright.verify.known_bridges import known_bridge

    known = known_bridge(reference.name, twin.name)
    if known is not None:
        return known
    reference.reset(0)
    twin.reset(0)
    return infer_bridge(reference.state(), twin.state())


def translated(bridge: Bridge, record: Fields) -> Fields:
    """Return a record of the twin with its state in the reference's format."""
    outside, inside = without_state(record), state_of(record)
    if not inside:
        return outside
    state = {k: np.asarray(v) for k, v in bridge.to_reference(inside).items()}
    return outside | as_state(state)
