"""Methods of lists, dicts, arrays, texts and generators of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envwright.agents.compiler.interpreter import numpy_calls
from envwright.agents.compiler.interpreter.containers import reference_to
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Growing, Node, Ragged, Table, example

if TYPE_CHECKING:
    from envwright.agents.compiler.interpreter.machine import Machine

# Methods of arrays that are functions of NumPy, too.
FUNCTIONS = [
    "sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "argmax", "argmin", "cumsum",
    "cumprod", "dot", "reshape", "ravel", "transpose", "squeeze", "repeat", "take", "trace",
    "round", "clip",
]  # fmt: skip


def call(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    """`owner.name(*args)`."""
    if isinstance(owner, np.random.Generator):
        return m.draw(name, args, keywords)
    if isinstance(owner, Table):
        owner = m.resolved(owner)
        if isinstance(owner, Table):
            raise Unsupported(f".{name}() of one of several containers")
    if m.is_list(owner):
        return _of_list(m, owner, name, args, keywords)
    if m.is_dict(owner):
        return _of_dict(m, owner, name, args)
    if isinstance(owner, set) or reference_to("set", owner):
        return _of_set(m, owner, name, args)
    return _of_array(m, owner, name, args, keywords)


# --- arrays --------------------------------------------------------------------------------------


def _of_array(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    array = m.settled(owner)
    if not isinstance(array, Node):
        if name in ("fill", "sort") or not all(map(m.is_known, args)):
            return _changing(m, owner, array, name, args)
        real = [m.real(a) for a in args]
        return getattr(array, name)(*real, **{k: m.real(v) for k, v in keywords.items()})
    if name == "astype":
        return m.graph.cast(array, np.dtype(m.real(args[0] if args else keywords["dtype"])))
    if name == "copy":
        return array
    if name in ("item", "tolist"):
        if array.shape and name == "tolist":
            return m.new_list(_listed(m, array))
        while array.shape:
            array = m.graph.index(array, (0,))
        return m.graph.renamed(array, np.asarray(array.like).item())
    if name == "flatten":
        return m.graph.call("jnp.ravel", (array,), np.ravel(array.like))
    if name == "reshape" and len(args) > 1:
        args = [tuple(args)]
    if name in ("fill", "sort"):
        return _changing(m, owner, array, name, args)
    if name in FUNCTIONS:
        return numpy_calls.HANDLERS[getattr(np, name)](m, [array, *args], keywords)
    raise Unsupported(f".{name}() of an unknown array")


def _listed(m: Machine, array: Node) -> list:
    found = []
    for item in m.items(array):
        if item.shape if isinstance(item, Node) else np.ndim(item):
            found.append(m.new_list(_listed(m, item)))
        elif isinstance(item, Node):
            found.append(m.graph.renamed(item, np.asarray(item.like).item()))
        else:
            found.append(np.asarray(item).item())
    return found


def _changing(m: Machine, owner: Any, array: Any, name: str, args: list) -> None:
    if name == "fill":
        like = np.full(np.shape(example(array)), example(args[0]), np.asarray(example(array)).dtype)
        value = m.number(args[0], like.dtype)
        if isinstance(value, Node):
            like = m.graph.call("jnp.full", (like.shape, value), like)
        m.world.put(owner, like)
    elif name == "sort":
        m.world.put(owner, m.graph.call("jnp.sort", (array,), np.sort(example(array))))
    else:
        raise Unsupported(f".{name}() of an array with unknown values")


# --- lists ---------------------------------------------------------------------------------------


def _of_list(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    changing: dict[str, Callable] = {
        "append": m.append,
        "extend": m.extend,
        "insert": m.insert,
        "remove": m.remove,
        "clear": lambda who: m.world.put(who, ()),
    }
    if name in changing:
        changing[name](owner, *args)
        return None
    if name == "pop":
        return m.pop(owner, args[0] if args else -1)
    if name == "copy":
        return m.new_list(m.contents(owner))
    if name in ("index", "count"):
        return _found(m, owner, name, args[0])
    if name in ("reverse", "sort"):
        if m.is_known(owner):
            items = m.real(owner)
            getattr(items, name)(**{k: m.real(v) for k, v in keywords.items()})
            m.world.put(owner, tuple(items))
            return None
        if name == "reverse" and isinstance(m.contents(owner), tuple):
            m.world.put(owner, tuple(reversed(m.contents(owner))))
            return None
    raise Unsupported(f".{name}() of a list")


def _found(m: Machine, owner: Any, name: str, value: Any) -> Any:
    items = m.items(owner)
    if isinstance(items, Growing):
        same = m.graph.both(m.mask(items), m.graph.compare("==", items.places, m.number(value)))
    elif isinstance(items, Ragged):
        raise Unsupported(f".{name}() of a list of unknown length")
    else:
        truths = [m.truth(m.equal_whole(value, item)) for item in items]
        if not any(isinstance(t, Node) for t in truths):
            if name == "count":
                return sum(map(bool, truths))
            if True not in truths:
                raise Impossible("it is not in the list")
            return truths.index(True)
        same = m.graph.array(truths)
    function = "jnp.argmax" if name == "index" else "jnp.sum"
    return m.graph.call(function, (same,), 0)


# --- dicts and sets ------------------------------------------------------------------------------


def _of_dict(m: Machine, owner: Any, name: str, args: list) -> Any:
    contents = m.contents(owner)
    if name == "get":
        key = m.settled(args[0])
        if isinstance(key, Node):
            return m.element(owner, key)
        return contents.get(m.real(key), args[1] if len(args) > 1 else None)
    if name == "keys":
        return m.new_list(contents)
    if name == "values":
        return m.new_list(contents.values())
    if name == "items":
        return m.new_list(tuple(pair) for pair in contents.items())
    if name == "copy":
        return m.new("dict", dict(contents))
    if name == "update":
        m.world.put(owner, {**contents, **(m.contents(args[0]) if args else {})})
        return None
    if name in ("pop", "setdefault"):
        key = m.real(args[0])
        if name == "pop":
            m.world.put(owner, {k: v for k, v in contents.items() if k != key})
            return contents.get(key, args[1] if len(args) > 1 else None)
        m.world.put(owner, {key: args[1] if len(args) > 1 else None, **contents})
        return m.contents(owner)[key]
    raise Unsupported(f".{name}() of a dict")


def _of_set(m: Machine, owner: Any, name: str, args: list) -> Any:
    if not all(map(m.is_known, args)):
        raise Unsupported(f".{name}() of a set with unknown values", "use an array of truths")
    contents = set(m.contents(owner))
    result = getattr(contents, name)(*(m.real(a) for a in args))
    m.world.put(owner, frozenset(contents))
    return result
