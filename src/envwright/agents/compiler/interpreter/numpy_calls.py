"""NumPy's functions on unknown values. NumPy's results on examples give dtype and shape."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.interpreter.base import Handler
from envwright.agents.compiler.interpreter.containers import described
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Node,
    Ragged,
    Reference,
    example,
    is_number,
    tuple_like,
)

if TYPE_CHECKING:
    from envwright.agents.compiler.interpreter.machine import Machine


# Functions of floats: whole numbers are converted first.
FLOATS = [
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "exp",
    "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "hypot", "degrees", "radians",
    "deg2rad", "rad2deg", "floor", "ceil", "rint", "trunc", "power", "float_power",
]  # fmt: skip
SAME = [
    "abs",
    "absolute",
    "fabs",
    "sign",
    "maximum",
    "minimum",
    "fmod",
    "isnan",
    "isfinite",
    "isinf",
]
OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "floor_divide": "//",
    "mod": "%",
    "remainder": "%",
    "matmul": "@",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
}
COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
# Functions of whole arrays, printed unchanged.
WHOLE = [
    "sum", "prod", "max", "min", "amax", "amin", "any", "all", "mean", "std", "var", "median",
    "argmax", "argmin", "cumsum", "cumprod", "count_nonzero", "dot", "cross", "outer", "inner",
    "diff", "sort", "argsort", "flip", "fliplr", "flipud", "rot90", "roll", "reshape", "ravel",
    "transpose", "squeeze", "expand_dims", "tile", "repeat", "take", "trace", "zeros_like",
    "ones_like", "ptp", "around", "round", "searchsorted", "broadcast_to", "linalg.norm",
    "heaviside", "interp", "triu", "tril", "diag", "isclose", "swapaxes", "moveaxis", "nan_to_num",
    "clip",
]  # fmt: skip
# Functions whose result shares memory with the array.
VIEWS = {
    *("reshape", "ravel", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis"),
    *("flip", "fliplr", "flipud", "rot90", "broadcast_to", "diag"),
}
COLUMNS, LONGEST = 8, 128  # of floats that NumPy adds
JOINING = ["concatenate", "stack", "hstack", "vstack", "append", "column_stack"]
TYPES = (np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_)
RENAMED = {"amax": "max", "amin": "min", "absolute": "abs", "fabs": "abs", "around": "round"}


def _operator(symbol: str) -> Handler:
    return lambda m, args, keywords: m.binary(symbol, args[0], args[1])


def _comparison(symbol: str) -> Handler:
    return lambda m, args, keywords: m.compared(symbol, args[0], args[1])


def _elementwise(name: str, floats: bool) -> Handler:
    function = getattr(np, name)

    def handler(m: Machine, args: list, keywords: dict) -> Any:
        if keywords:
            raise Unsupported(f"np.{name} with {', '.join(keywords)}")
        return m.spread(lambda *values: apply(m, values), *(m.settled(a) for a in args))

    def apply(m: Machine, values: tuple) -> Any:
        if any(isinstance(v, Ragged) for v in values):
            raise Unsupported(f"np.{name} of a list of unknown length")
        numbers = [m.number(v) for v in values]
        if not any(isinstance(v, Node) for v in numbers):
            return function(*numbers)
        with np.errstate(all="ignore"):
            like = function(*(example(v) for v in numbers))
        dtype = np.asarray(like).dtype
        if name in ("power", "float_power") and is_number(numbers[1]):
            if name == "power" or float(numbers[1]).is_integer():
                return m.graph.cast(m.graph.power(numbers[0], numbers[1]), dtype)
        if floats:
            numbers = [_of(m, v, dtype) for v in numbers]
        elif len(numbers) == 2:
            a, b = numbers
            numbers = list(m.graph.fitting(a, b, kinds.word(dtype)))
        return m.graph.call(f"jnp.{RENAMED.get(name, name)}", tuple(numbers), like)

    return handler


def _of(m: Machine, value: Any, dtype: np.dtype) -> Any:
    if isinstance(value, Node) and kinds.word_of(value) != kinds.word(dtype):
        return m.graph.cast(value, dtype)
    return value


def _square(m: Machine, args: list, keywords: dict) -> Any:
    def one(value: Any) -> Any:
        value = m.number(value)
        if not isinstance(value, Node):
            return np.square(value)
        node = m.graph.call("jnp.square", (value,), np.square(value.like))
        node.product = node.dtype.kind == "f"
        return node

    return m.spread(one, m.settled(args[0]))


def _whole(name: str) -> Handler:
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part)

    def handler(m: Machine, args: list, keywords: dict) -> Any:
        if any(isinstance(m.contents(a), Ragged) for a in args):
            return _of_ragged(m, name, m.contents(args[0]))
        numbers = [_argument(m, a) for a in args]
        given = {k: _argument(m, v) for k, v in keywords.items() if k not in ("out", "dtype")}
        dtype = m.real(keywords["dtype"]) if "dtype" in keywords else None
        if any(isinstance(v, Node) for v in given.values()):
            raise Unsupported(f"np.{name} with an unknown option")
        more = {**given, **({"dtype": dtype} if dtype is not None else {})}
        with np.errstate(all="ignore"):
            like = function(*(example(v) for v in numbers), **more)
        if name in ("argmax", "argmin") and np.shape(example(numbers[0])) == (1,):
            return np.int64(0)
        if name in ("sum", "mean") and not more and len(numbers) == 1 and _is_short(numbers[0]):
            return _added(m, name, numbers[0], like)
        if name in ("round", "around"):
            return rounded_to(m, numbers[0], *numbers[1:], **given)
        if name == "clip":
            dtype = np.asarray(like).dtype
            return m.graph.call("jnp.clip", tuple(_of(m, v, dtype) for v in numbers), like)
        found = m.graph.call(f"jnp.{RENAMED.get(name, name)}", tuple(numbers), like, **given)
        if name in VIEWS:
            return m.view(found, args[0])
        return m.graph.cast(found, dtype) if dtype is not None else found

    return handler


def _is_short(value: Any) -> bool:
    """Return whether NumPy adds an array's floats in an order that is written out here."""
    one = isinstance(value, Node) and len(value.shape) == 1 and value.dtype.kind == "f"
    return one and 0 < value.shape[0] <= LONGEST


def _added(m: Machine, name: str, array: Node, like: Any) -> Any:
    """Add floats in NumPy's order: one by one, or in eight columns if there are more."""
    graph, size = m.graph, array.shape[0]
    plus = functools.partial(graph.binary, "+")
    items = [graph.index(array, (k,)) for k in range(size)]
    if size >= COLUMNS:
        blocks = [slice(k, k + COLUMNS) for k in range(0, size - size % COLUMNS, COLUMNS)]
        columns = functools.reduce(plus, (graph.index(array, (block,)) for block in blocks))
        a, b, c, d, e, f, g, h = (graph.index(columns, (k,)) for k in range(COLUMNS))
        first = plus(plus(plus(a, b), plus(c, d)), plus(plus(e, f), plus(g, h)))
        items = [first, *items[size - size % COLUMNS :]]
    total = functools.reduce(plus, items)
    if name == "mean":
        total = graph.binary("/", total, np.asarray(like).dtype.type(size))
    return graph.renamed(total, like) if isinstance(total, Node) else total


def rounded_to(m: Machine, value: Any, decimals: Any = 0) -> Any:
    """`np.round`: NumPy multiplies, rounds to a whole number, and divides."""
    graph, digits = m.graph, int(m.real(decimals))
    if np.asarray(example(value)).dtype.kind != "f":
        return value if digits >= 0 else graph.call("jnp.round", (value, digits), example(value))
    scale = np.asarray(example(value)).dtype.type(10.0 ** abs(digits))
    there, back = ("*", "/") if digits > 0 else ("/", "*")
    large = graph.binary(there, value, scale) if digits else value
    whole = graph.call("jnp.round", (large,), np.round(example(large)))
    return graph.binary(back, whole, scale) if digits else whole


def _argument(m: Machine, value: Any) -> Any:
    value = m.settled(value)
    if value is None or isinstance(value, str | type | np.dtype):
        return value
    if m.is_list(value) or isinstance(value, tuple):
        return m.real(value) if m.is_known(value) else m.number(value)
    return m.number(value)


def _of_ragged(m: Machine, name: str, ragged: Ragged) -> Any:
    """Reduce a partial sequence, ignoring everything past its end."""
    array = m.number(m.new_list(ragged.items))
    if name == "cumsum":
        made = m.graph.call("jnp.cumsum", (array,), np.cumsum(example(array)))
        return m.new_list(Ragged(m.items(made), ragged.count))
    if name not in ("argmax", "any", "sum", "max"):
        raise Unsupported(f"np.{name} of a list of unknown length")
    places = m.graph.constant(np.arange(len(ragged.items)), "PLACES")
    there = m.graph.compare("<", places, ragged.count)
    if array.dtype.kind == "b":
        array = m.graph.both(there, array)
    else:
        array = m.graph.where(there, array, 0 if name == "sum" else -np.inf)
    return m.graph.call(f"jnp.{name}", (array,), getattr(np, name)(array.like))


def _array(m: Machine, args: list, keywords: dict) -> Any:
    value = args[0]
    if not set(keywords) <= {"dtype", "copy"}:
        raise Unsupported(f"np.array with {', '.join(keywords)}")
    dtype = args[1] if len(args) > 1 else keywords.get("dtype")
    dtype = None if dtype is None else np.dtype(m.real(dtype))
    settled = m.settled(value)
    if isinstance(m.contents(settled), Ragged):
        return settled
    if isinstance(settled, Node | np.ndarray):
        same = dtype is None or settled.dtype == dtype
        return settled if same else m.graph.cast(settled, dtype)
    items = m.sequence_as_array(settled, dtype)
    if isinstance(items, tuple):
        if dtype is not None:
            items = _cast_all(m, items, dtype)
        return m.graph.array(items, dtype)
    if not isinstance(items, Node):
        return np.asarray(items, dtype)
    made = m.graph.cast(items, dtype) if dtype is not None else items
    return m.graph.renamed(made, np.asarray(made.like))


def _asarray(m: Machine, args: list, keywords: dict) -> Any:
    """Return an array itself, if it has the dtype already."""
    dtype = args[1] if len(args) > 1 else keywords.get("dtype")
    if m.is_array(args[0]):
        held = np.asarray(example(m.settled(args[0]))).dtype
        if dtype is None or np.dtype(m.real(dtype)) == held:
            return args[0]
    return _array(m, args, keywords)


def _cast_all(m: Machine, items: tuple, dtype: np.dtype) -> tuple:
    """Cast each element to the array's dtype, so that elements can be taken out again."""
    items = tuple(_cast_all(m, i, dtype) if isinstance(i, tuple) else i for i in items)
    return tuple(m.graph.cast(i, dtype) if isinstance(i, Node) else i for i in items)


def _copy(m: Machine, value: Any, deep: bool) -> Any:
    def part(value: Any) -> Any:
        return _copy(m, value, True) if deep else value

    if isinstance(value, Choice):
        return m.spread(lambda v: _copy(m, v, deep), value)
    if m.is_array(value):
        held = m.settled(value)
        return held.copy() if isinstance(held, np.ndarray) else held
    if m.is_list(value):
        contents = m.contents(value)
        return m.new_list(map(part, contents) if isinstance(contents, tuple) else contents)
    if m.is_dict(value):
        if type(value) not in (dict, Reference):
            raise Unsupported(f"a copy of a {type(value).__name__}", "use a dict")
        return m.new("dict", {k: part(v) for k, v in m.contents(value).items()})
    if m.is_set(value):
        return m.new("set", m.contents(value))
    if isinstance(value, tuple):
        return tuple_like(value, [part(v) for v in value])
    if isinstance(value, Node) or is_number(value) or value is None or isinstance(value, str):
        return value
    raise Unsupported(f"a copy of {described(value)}", "make it anew")


def _joining(name: str) -> Handler:
    function = getattr(np, name)

    def handler(m: Machine, args: list, keywords: dict) -> Any:
        axis = keywords.get("axis", args[1] if len(args) > 1 and name != "append" else None)
        if name == "append":
            parts = tuple(m.number(a) for a in args[:2])
            if axis is not None:
                raise Unsupported("np.append with an axis")
        else:
            parts = tuple(_part(m, i) for i in m.items(args[0]))
        likes = [np.asarray(example(p)) for p in parts]
        extra = {} if axis is None else {"axis": axis}
        like = function(*likes) if name == "append" else function(likes, **extra)
        parts = tuple(_of(m, p, like.dtype) for p in parts)
        flat = [p for p in parts if np.ndim(example(p)) <= 1]
        if like.ndim == 1 and len(flat) == len(parts) and like.size <= 16:
            items: list[Any] = []
            for p in parts:
                items += m.items(p) if np.ndim(example(p)) else [p]
            return m.graph.array(items, like.dtype)
        if name == "append":
            return m.graph.call("jnp.append", parts, like)
        return m.graph.call(f"jnp.{name}", (parts,), like, **extra)

    return handler


def _part(m: Machine, value: Any) -> Any:
    value = m.number(value)
    return m.graph.constant(value) if isinstance(value, np.ndarray) else value


def _where(m: Machine, args: list, keywords: dict) -> Any:
    if len(args) != 3:
        raise Unsupported("np.where with one argument, whose length is unknown", "use a mask")
    condition, yes, no = (m.number(a) for a in args)
    if not isinstance(condition, Node):
        condition = m.graph.constant(np.asarray(condition))
    return m.graph.where(m.graph.truth(condition), yes, no)


def _full(name: str) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        value = m.number(args[1] if len(args) > 1 else keywords["fill_value"])
        shape = m.real(m.number(args[0]) if not m.is_known(args[0]) else args[0])
        like = getattr(np, name)(example(shape), example(value))
        return m.graph.call(f"jnp.{name}", (shape, value), like)

    return handler


def _array_equal(m: Machine, args: list, keywords: dict) -> Any:
    a, b = (m.number(v) for v in args)
    if np.shape(example(a)) != np.shape(example(b)):
        return False
    return m.graph.call("jnp.all", (m.graph.compare("==", a, b),), True)


def _allclose(m: Machine, args: list, keywords: dict) -> Any:
    a, b = (m.number(v) for v in args[:2])
    given = {k: m.real(v) for k, v in keywords.items()}
    return m.graph.call("jnp.allclose", (a, b), np.bool_(True), **given)


def _type(dtype: Any) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        return m.spread(lambda v: m.graph.cast(m.number(v), dtype), m.settled(args[0]))

    return handler


def _logical(symbol: str) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        numbers = [m.number(a) for a in args]
        truths = [n if kinds.word_of(n) == kinds.TRUTH else m.compared("!=", n, 0) for n in numbers]
        if symbol == "~":
            return m.graph.unary("~", truths[0]) if isinstance(truths[0], Node) else ~truths[0]
        return m.binary(symbol, *truths)

    return handler


HANDLERS: dict[Any, Handler] = {
    **{getattr(np, name): _elementwise(name, True) for name in FLOATS},
    **{getattr(np, name): _elementwise(name, False) for name in SAME},
    **{getattr(np, name): _operator(symbol) for name, symbol in OPERATORS.items()},
    **{getattr(np, name): _comparison(symbol) for name, symbol in COMPARISONS.items()},
    **{getattr(np, name): _whole(name) for name in WHOLE if "." not in name and hasattr(np, name)},
    **{getattr(np, name): _joining(name) for name in JOINING},
    **{kind: _type(kind) for kind in TYPES},
    np.linalg.norm: _whole("linalg.norm"),
    np.square: _square,
    np.array: _array,
    np.asarray: _asarray,
    np.ascontiguousarray: _asarray,
    np.where: _where,
    np.full: _full("full"),
    np.full_like: _full("full_like"),
    np.array_equal: _array_equal,
    np.allclose: _allclose,
    np.logical_and: _logical("&"),
    np.logical_or: _logical("|"),
    np.logical_xor: _logical("^"),
    np.logical_not: _logical("~"),
    np.copy: lambda m, args, keywords: m.settled(args[0]),
    copy.copy: lambda m, args, keywords: _copy(m, args[0], False),
    copy.deepcopy: lambda m, args, keywords: _copy(m, args[0], True),
}
