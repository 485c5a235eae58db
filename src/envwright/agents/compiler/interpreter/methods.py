"""Methods of lists, dicts, arrays, texts and generators of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envwright.agents.compiler.interpreter import builtin_calls, mappings, numpy_calls
from envwright.agents.compiler.interpreter.containers import described
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Growing, Node, Ragged, Table, example

if TYPE_CHECKING:
    from envwright.agents.compiler.interpreter.machine import Machine

CHANGING = {"put", "partition", "resize", "itemset", "setflags", "setfield", "byteswap"}
# Methods whose result shares memory with the array.
VIEWS = {"reshape", "ravel", "transpose", "squeeze", "swapaxes", "view", "diagonal"}
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
        return mappings.of_dict(m, owner, name, args, keywords)
    if m.is_set(owner):
        return mappings.of_set(m, owner, name, args)
    if not isinstance(m.settled(owner), Node | np.ndarray):
        raise Unsupported(f".{name} of {described(owner)}")
    found = _of_array(m, owner, name, args, keywords)
    return m.view(found, owner) if name in VIEWS else found


# --- arrays --------------------------------------------------------------------------------------


def _of_array(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    array = m.settled(owner)
    if not isinstance(array, Node):
        if name in ("fill", "sort") or not all(map(m.is_known, args)):
            return _changing(m, owner, array, name, args)
        if name in CHANGING:
            raise Unsupported(f".{name}() of an array", "assign to its elements")
        real = [m.real(a) for a in args]
        try:
            found = getattr(array, name)(*real, **{k: m.real(v) for k, v in keywords.items()})
            m.made += [found] if isinstance(found, np.ndarray) and name not in VIEWS else []
            return found
        except Exception as error:
            raise Impossible(f"{type(error).__name__}: {error}") from error
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
        m.put(owner, like)
    elif name == "sort":
        m.put(owner, m.graph.call("jnp.sort", (array,), np.sort(example(array))))
    else:
        raise Unsupported(f".{name}() of an array with unknown values")


# --- lists ---------------------------------------------------------------------------------------


def _of_list(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    if name == "index" and len(args) > 1:
        raise Unsupported(".index() from a place on", "search in a slice")
    changing: dict[str, Callable] = {
        "append": m.append,
        "extend": m.extend,
        "insert": m.insert,
        "remove": m.remove,
        "clear": lambda who: m.put(who, ()),
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
    if name == "reverse" and isinstance(m.contents(owner), tuple):
        m.put(owner, tuple(reversed(m.contents(owner))))
        return None
    if name == "sort":
        ordered = m.contents(builtin_calls.ordered(m, [owner, *args], keywords))
        m.put(owner, ordered)
        return None
    raise Unsupported(f".{name}() of a list")


def _found(m: Machine, owner: Any, name: str, value: Any) -> Any:
    items = m.items(owner)
    if name == "index":
        m.assumptions += 1
    if isinstance(items, Growing):
        same = m.places_of(value, items)
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
