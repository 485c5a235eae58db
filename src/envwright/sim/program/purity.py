"""Whether tracing leaves code as it was: a fingerprint of everything that its modules hold.

A pure function has no place to count its calls. Code that is traced into one program now and into
another later must keep something between: a global, an attribute, a default, a closure, an
iterator, a cache. All of these are part of the fingerprint. So is what the libraries' modules that
it imports hold, one level deep.
"""

from __future__ import annotations

import collections
import enum
import functools
import gc
import hashlib
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

PLAIN = (type(None), bool, int, float, complex, str, bytes, np.dtype, type(Ellipsis))
OF_PYTHON = ("__builtins__", "__cached__", "__spec__", "__loader__", "__dict__", "__weakref__")
OF_ENUMS = ("_value2member_map_",)  # combinations of flags are kept there when first used
CACHE = type(functools.cache(len))
# Made of C: their content shows only in how they are pickled.
OPAQUE = (
    *(functools.partial, np.random.BitGenerator, np.random.Generator, np.random.RandomState),
    np.random.SeedSequence,
)


def fingerprint(package: str, *more: Any) -> bytes:
    """Return a digest of what a package's modules, and some objects of it, hold."""
    digest = hashlib.sha256()
    for part in _Walk(package).all_of(more):
        digest.update(part.encode(errors="replace") + b"\0")
    return digest.digest()


class _Walk:
    """One walk over everything reachable in a package, which visits each object once."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._seen: dict[int, int] = {}
        self._held: list[Any] = []  # so that no identity is used twice

    def all_of(self, more: tuple[Any, ...]) -> Iterator[str]:
        for name in sorted(sys.modules):
            if f"{name}.".startswith(f"{self._package}."):
                yield name
                yield from self._names(vars(sys.modules[name]))
        for each in more:
            yield from self._walk(each)

    def _walk(self, value: Any) -> Iterator[str]:
        if isinstance(value, PLAIN):
            yield repr(value)
            return
        if id(value) in self._seen:
            yield f"again {self._seen[id(value)]}"
            return
        self._seen[id(value)] = len(self._seen)
        self._held.append(value)
        yield type(value).__qualname__
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            yield from self._array(value)
        elif isinstance(value, Mapping | types.MappingProxyType):
            for key in list(value):
                yield from self._walk(key)
                yield from self._walk(value[key])
        elif isinstance(value, list | tuple | collections.deque):
            for part in value:
                yield from self._walk(part)
        elif isinstance(value, set | frozenset):
            yield from sorted(map(repr, value))
        elif isinstance(value, types.ModuleType):
            yield repr(value)
            if not f"{value.__name__}.".startswith(f"{self._package}."):
                yield from _library(value)
        elif isinstance(value, enum.Enum | types.CodeType):
            yield repr(value)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type):
            if self._is_own(value):
                yield from self._names(vars(value))
        else:
            yield from self._object(value)

    def _array(self, value: Any) -> Iterator[str]:
        yield repr((value.shape, value.dtype))
        if not isinstance(value, Tracer) and value.dtype != object:
            whole = jax.random.key_data(value) if _is_key(value) else value
            yield hashlib.sha256(np.ascontiguousarray(whole).tobytes()).hexdigest()

    def _function(self, value: types.FunctionType) -> Iterator[str]:
        if not self._is_own(value):
            return
        yield from self._walk(value.__code__)
        for part in (value.__defaults__, value.__kwdefaults__, vars(value)):
            yield from self._walk(part)
        for cell in value.__closure__ or ():
            try:
                yield from self._walk(cell.cell_contents)
            except ValueError:
                yield "an empty cell"

    def _object(self, value: Any) -> Iterator[str]:
        """An instance, an iterator, or something made of C."""
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            yield from self._names(held)
        for name in {s for cls in type(value).__mro__ for s in _slots(cls)} - {"__weakref__"}:
            if hasattr(value, name):
                yield from self._walk(getattr(value, name))
        if isinstance(value, CACHE):
            for part in gc.get_referents(value):  # its arguments and results among them
                yield from self._walk(part)
        elif isinstance(value, types.GeneratorType):
            yield repr((value.gi_frame and value.gi_frame.f_lasti, value.gi_running))
        elif hasattr(value, "__next__") and hasattr(value, "__reduce__"):
            try:
                yield from self._walk(value.__reduce__()[1:])
            except TypeError:
                yield "an iterator"
        elif isinstance(value, OPAQUE):
            yield from self._walk(value.__reduce_ex__(4)[1:])
        elif isinstance(value, types.BuiltinMethodType | types.MethodType):
            yield value.__name__
            yield from self._walk(value.__self__)
        elif isinstance(value, bytearray | memoryview):
            yield bytes(value).hex()

    def _names(self, held: Mapping[str, Any]) -> Iterator[str]:
        for name in [n for n in held if n not in OF_PYTHON + OF_ENUMS]:
            yield name
            yield from self._walk(held[name])

    def _is_own(self, value: Any) -> bool:
        home = getattr(value, "__module__", "") or ""
        return f"{home}.".startswith(f"{self._package}.")


def _library(module: types.ModuleType) -> Iterator[str]:
    """Describe what a library's module holds, and what could be written there."""
    for name, value in list(vars(module).items()):
        yield f"{name} {id(value)}"
        if isinstance(value, dict):
            yield str([(str(key), id(held)) for key, held in list(value.items())])
        elif isinstance(value, list | set):
            yield str([id(held) for held in list(value)])
        elif not isinstance(value, type | types.ModuleType):
            held = getattr(value, "__dict__", None)  # of functions, too
            if isinstance(held, dict) and held:
                yield str([(key, id(part)) for key, part in list(held.items())])


def _slots(cls: type) -> tuple[str, ...]:
    found = vars(cls).get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def _is_key(value: Any) -> bool:
    return jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)
