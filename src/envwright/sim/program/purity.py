"""Whether tracing leaves code as it was: a fingerprint of everything that its modules hold.

A pure function has no place to count its calls. Code that is traced into one program now and into
another later must keep something between: a global, an attribute, a default, a closure, an
iterator, a cache, a registry. All of these are part of the fingerprint. So is what the libraries'
modules that it imports hold, with their classes and submodules, one level deep. Functions, classes
and instances of the code are found wherever they are kept: the collector of garbage knows them.
"""

from __future__ import annotations

import abc
import collections
import ctypes
import functools
import gc
import hashlib
import itertools
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax._src import tree_util
from jax.core import Tracer
from jax.tree_util import PyTreeDef

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
OF_PYTHON = (
    *("__builtins__", "__cached__", "__spec__", "__loader__", "__dict__", "__weakref__"),
    "_abc_impl",  # the classes that were asked for
)
# Of libraries: made when first used.
OF_LIBRARIES = (*OF_PYTHON, "_value2member_map_", "__annotations__")
CONTAINERS: tuple[Any, ...] = (dict, list, tuple, set, frozenset, collections.deque)
VALUES: tuple[Any, ...] = (str, bytes, int, float, complex)
# Made of C: their content shows only in how they are pickled.
OPAQUE = (
    *(functools.partial, np.random.BitGenerator, np.random.Generator, np.random.RandomState),
    np.random.SeedSequence,
)
# A frame that waits is at some place of its code.
WAITING: tuple[tuple[type, str], ...] = (
    (types.GeneratorType, "gi_frame"),
    (types.CoroutineType, "cr_frame"),
    (types.AsyncGeneratorType, "ag_frame"),
)
# Of a set: how full it is, its table's size, and where the next `pop` begins to look.
_IN_SETS = [object.__basicsize__ + offset for offset in (0, 8, 16, 40)]
_NEVER_TWICE = itertools.count()


def fingerprint(package: str, *more: Any) -> str:
    """Return a digest of what a package's modules, and some objects of it, hold."""
    return _hashed(_Walk(package).all_of(more))


def _hashed(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode(errors="replace") + b"\0")
    return digest.hexdigest()


class _Walk:
    """One walk over everything reachable in a package, which visits each object once."""

    def __init__(self, package: str, seen: Mapping[int, int] | None = None) -> None:
        self._package = package
        self._former = seen or {}  # of a walk before this one
        self._seen: dict[int, int] = {}
        self._held: list[Any] = []  # so that no identity is used twice
        self._own: dict[type, bool] = {}

    def all_of(self, more: tuple[Any, ...]) -> Iterator[str]:
        for name in sorted(sys.modules):
            if self._is_inside(name):
                yield name
                yield from self._names(vars(sys.modules[name]))
        for each in more:
            yield from self._walk(each)
        yield from self._registries()
        yield from self._strays()

    def _strays(self) -> Iterator[str]:
        """Describe what is kept elsewhere, such as in a library's cache. Equal ones count once."""
        gc.collect()
        found = [x for x in gc.get_objects() if id(x) not in self._seen and self._is_of_package(x)]
        walks = (_Walk(self._package, self._seen)._walk(each) for each in found)
        yield from sorted({_hashed(walk) for walk in walks})

    def _is_of_package(self, value: Any) -> bool:
        """Return whether an object is the package's function or class, or an instance of one."""
        if isinstance(value, types.FunctionType | type):
            return self._is_own(value)
        kind = type(value)
        if kind not in self._own:
            self._own[kind] = self._is_own(kind)
        return self._own[kind]

    def _registries(self) -> Iterator[str]:
        """Return what Python, JAX and NumPy have registered about classes and errors."""
        yield f"{abc.get_cache_token()} {np.geterr()} {np.get_printoptions()}"
        for cls, functions in list(tree_util._registry.items()):  # type: ignore[reportPrivateUsage]
            yield str(id(cls))
            if self._is_own(cls):
                yield from self._walk(cls)
                for each in functions:
                    is_function = isinstance(each, types.FunctionType)
                    yield from self._parts(each) if is_function else self._walk(each)

    def _walk(self, value: Any) -> Iterator[str]:
        if type(value) in PLAIN:
            yield repr(value)
            return
        known = self._former.get(id(value), self._seen.get(id(value)))
        if known is not None:
            yield f"again {known}"
            return
        self._seen[id(value)] = len(self._former) + len(self._seen)
        self._held.append(value)
        yield type(value).__qualname__
        if isinstance(value, types.ModuleType):
            yield repr(value)
            if not self._is_inside(value.__name__):
                yield from self._library(value)
        elif isinstance(value, types.CodeType):
            yield repr(value)
        elif isinstance(value, types.FunctionType):
            if self._is_own(value):
                yield from self._parts(value)
            else:  # a library's, perhaps made of what it was given
                yield from self._cells(value)
        elif isinstance(value, type):
            if self._is_own(value):
                yield from self._names(vars(value))
                yield from self._all(value.__mro__)
        else:
            yield from self._content(value)
            yield from self._object(value)
            if self._is_own(type(value)):
                yield from self._walk(type(value))

    def _all(self, values: Iterable[Any]) -> Iterator[str]:
        for value in list(values):
            yield from self._walk(value)

    def _content(self, value: Any) -> Iterator[str]:
        """Return the content of a container, regardless of methods that its class overrides."""
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            yield from self._array(value)
            return
        for kind in CONTAINERS:
            if isinstance(value, kind):
                parts = dict.items(value) if kind is dict else kind.__iter__(value)
                yield from self._all(parts)
                if isinstance(value, collections.OrderedDict):  # with an order of its own
                    yield from self._all(collections.OrderedDict.__iter__(value))
                if kind is set:
                    places = (ctypes.c_ssize_t.from_address(id(value) + x) for x in _IN_SETS)
                    yield repr([place.value for place in places])
                return
        for kind in VALUES:
            if isinstance(value, kind):
                yield kind.__repr__(value)
                return
        if isinstance(value, Mapping | types.MappingProxyType) and not self._is_own(type(value)):
            yield from self._all(value.items())
        elif isinstance(value, bytearray | memoryview):
            yield bytes(value).hex()

    def _array(self, value: Any) -> Iterator[str]:
        yield repr((value.shape, value.dtype))
        if isinstance(value, Tracer):
            return
        if isinstance(value, np.ndarray):  # which may be part of another one
            yield repr((value.strides, value.flags.num))
            yield from self._all((value.dtype, value.base))
        if value.dtype.hasobject:
            yield from self._all(np.asarray(value).ravel().tolist())
        else:
            yield _digest(value)

    def _parts(self, value: types.FunctionType) -> Iterator[str]:
        yield from self._walk(value.__code__)
        yield from self._all((value.__defaults__, value.__kwdefaults__, vars(value)))
        yield from self._walk(value.__annotations__)
        yield from self._cells(value)

    def _cells(self, value: types.FunctionType) -> Iterator[str]:
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
        for kind, name in WAITING:
            if isinstance(value, kind):
                yield repr(getattr(getattr(value, name), "f_lasti", None))
        if isinstance(value, np.dtype):
            yield repr(value)
            yield from self._all((value.metadata, value.fields, value.subdtype))
        elif isinstance(value, PyTreeDef):
            yield repr(value.num_leaves)
            yield from self._all((value.node_data(), value.children()))
        elif isinstance(value, OPAQUE):
            yield from self._walk(value.__reduce_ex__(4)[1:])
        elif isinstance(value, types.BuiltinMethodType | types.MethodType):
            yield value.__name__
            yield from self._walk(value.__self__)
        elif hasattr(type(value), "__next__") and not self._is_own(type(value)):
            yield from self._iterator(value)
        elif isinstance(value, np.ufunc) or _is_of_python(type(value)):
            yield from self._all(gc.get_referents(value))  # it may be made of C

    def _iterator(self, value: Any) -> Iterator[str]:
        if isinstance(value, types.GeneratorType):
            yield from self._all(gc.get_referents(value))
            return
        try:
            yield from self._walk(value.__reduce__()[1:])
        except TypeError:
            yield f"an iterator that may be anywhere {next(_NEVER_TWICE)}"

    def _names(self, held: Mapping[str, Any]) -> Iterator[str]:
        for name in [n for n in held if n not in OF_PYTHON]:
            yield str(name)
            yield from self._walk(held[name])

    def _library(self, module: types.ModuleType) -> Iterator[str]:
        """Describe what a library's module holds, and what could be written there."""
        for name, value in list(vars(module).items()):
            yield f"{name} {id(value)}"
            if isinstance(value, types.ModuleType):
                if value.__name__ == f"{module.__name__}.{name}" and name[0] != "_":
                    yield from self._walk(value)
            elif isinstance(value, type):
                if value.__module__.partition(".")[0] == module.__name__.partition(".")[0]:
                    yield from map(str, _shallow(vars(value)))
            else:
                yield from map(str, _shallow({name: value, **_fields(value)}))

    def _is_inside(self, module: str) -> bool:
        return f"{module}.".startswith(f"{self._package}.")

    def _is_own(self, value: type | types.FunctionType) -> bool:
        """Return whether a class or function is the package's, whatever name it gives itself."""
        if self._is_inside(getattr(value, "__module__", "") or ""):
            return True
        if isinstance(value, type):
            functions = [f for f in vars(value).values() if isinstance(f, types.FunctionType)]
            return any(self._is_inside(_home(function)) for function in functions)
        return self._is_inside(_home(value))


def _is_of_python(cls: type) -> bool:
    """Return whether a class, or a base of it, is one of Python's that may hold more."""
    if cls in (dict, list, tuple, set, frozenset):
        return False  # their content is all that they hold
    return any(_root(c) in sys.stdlib_module_names for c in cls.__mro__ if c is not object)


def _root(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


def _home(function: types.FunctionType) -> str:
    """Return the name of the module that holds a function's globals; it may have another."""
    spec = function.__globals__.get("__spec__")
    return getattr(spec, "name", "")


def _shallow(held: Mapping[str, Any]) -> Iterator[Any]:
    """Describe some names by what stands there, and what is in containers."""
    for name, value in list(held.items()):
        if name in OF_LIBRARIES:
            continue
        yield name, id(value)
        if isinstance(value, dict):
            yield [(str(key), id(part)) for key, part in list(value.items())]
        elif isinstance(value, list | set):
            yield [id(part) for part in list(value)]
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            yield _digest(value)


def _fields(value: Any) -> dict[str, Any]:
    held = getattr(value, "__dict__", None)  # of functions, too
    return held if isinstance(held, dict) else {}


def _digest(value: Any) -> str:
    whole = jax.random.key_data(value) if _is_key(value) else value
    return hashlib.sha256(np.ascontiguousarray(whole).tobytes()).hexdigest()


def _slots(cls: type) -> tuple[str, ...]:
    found = vars(cls).get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def _is_key(value: Any) -> bool:
    return jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)
