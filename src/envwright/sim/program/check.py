"""Which compiled programs may run: closed ones that compute and do nothing else.

The rule is a list of what is allowed. Operations that reach out of the program (callbacks, foreign
functions, infeed and outfeed, collectives) or that two runs may answer differently are not on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.extend.mlir import ir

LARGEST = 64 << 20  # bytes of a serialized program, its constants among them
DIALECTS = ("builtin", "func", "stablehlo", "chlo")
# Of these dialects, what leaves the program, depends on more than it is given, or leaves memory
# undefined.
FORBIDDEN = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("after_all", "all_gather", "all_reduce", "all_to_all", "async_done", "async_start"),
        *("collective_broadcast", "collective_permute", "create_token", "cross-replica-sum"),
        *("infeed", "outfeed", "partition_id", "recv", "reduce_scatter", "replica_id", "rng"),
        "send",
    )
)
# Linear algebra is a library's, which comes with jaxlib.
LAPACK = re.compile(r"lapack_[sdcz][a-z]{3,6}_ffi")
SHOWN = 3
# Of traced functions: they leave the program, or stand for another one elsewhere. The tracer looks
# for them, so that its author gets a clear sentence; the runner relies on the module alone.
ODD = re.compile(
    r".*callback.*|debug_.*|ffi_call|custom_vmap_call|platform_index|infeed|outfeed|rng_uniform"
)


class Refused(ValueError):
    """A program that may not run."""


def require_small(module: bytes, what: str) -> None:
    """Raise `Refused` for a program that the wire does not carry."""
    if len(module) > LARGEST:
        raise Refused(
            f"{what} is a program of {len(module):,} bytes; at most {LARGEST:,} are run. "
            "Compute large constants instead of storing them"
        )


def require_closed(module: ir.Module, what: str) -> None:
    """Raise `Refused` unless a program only computes."""
    found = Counter(filter(None, map(_offence, _operations(module.operation))))
    if found:
        told = ", ".join(list(found)[:SHOWN])
        raise Refused(f"{what} leaves the compiled program: it uses {told}")


def require_ordinary(jaxpr: Jaxpr, what: str) -> None:
    """Raise `Refused` if a traced function uses something odd, at any depth."""
    found = Counter(name for name in _primitives(jaxpr) if ODD.fullmatch(name))
    if found:
        raise Refused(f"{what} uses {', '.join(list(found)[:SHOWN])}, which a translation may not")


def _primitives(jaxpr: Jaxpr) -> Iterator[str]:
    """Yield the names of all primitives, with those of inner functions."""
    waiting: list[Any] = [jaxpr]
    while waiting:
        found = waiting.pop()
        if isinstance(found, ClosedJaxpr):
            waiting.append(found.jaxpr)
        elif isinstance(found, Jaxpr):
            for equation in found.eqns:
                yield equation.primitive.name
                waiting += equation.params.values()
        elif isinstance(found, list | tuple):
            waiting += found


def _operations(operation: Any) -> Iterator[Any]:
    """Yield an operation and all inside it."""
    waiting = [operation]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += [o.operation for region in found.regions for block in region for o in block]


def _offence(operation: Any) -> str:
    """Return what an operation does that it may not, or nothing."""
    name = operation.name
    if name == "stablehlo.custom_call":
        target = _target(operation)
        return "" if LAPACK.fullmatch(target) else f"the custom call {target!r}"
    allowed = name.partition(".")[0] in DIALECTS and name not in FORBIDDEN
    return "" if allowed else name


def _target(operation: Any) -> str:
    try:
        return ir.StringAttr(operation.attributes["call_target_name"]).value
    except (KeyError, ValueError, UnicodeDecodeError):
        return "without a name"
