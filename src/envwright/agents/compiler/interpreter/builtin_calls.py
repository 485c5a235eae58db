"""Python's builtins and `math` on unknown values."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.interpreter import numpy_calls
from envwright.agents.compiler.interpreter.base import Handler
from envwright.agents.compiler.interpreter.containers import UNKNOWN
from envwright.agents.compiler.interpreter.world import Span
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Method,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    is_number,
)

if TYPE_CHECKING:
    from envwright.agents.compiler.interpreter.machine import Machine


def _convert(kind: type) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        if not args:
            return kind()
        return m.spread(lambda v: _one(m, kind, v), m.settled(args[0]))

    return handler


def _one(m: Machine, kind: type, value: Any) -> Any:
    if isinstance(value, Node) and value.shape:
        if np.prod(value.shape) != 1:
            raise Impossible(f"{kind.__name__} of an array")
        value = m.graph.index(value, (0,) * len(value.shape))
    if kind is bool:
        found = m.truth(value)
        return m.graph.renamed(found, bool(found.like)) if isinstance(found, Node) else found
    if isinstance(value, Text):
        raise Unsupported("a number read from an unknown text")
    if not isinstance(value, Node):
        return m.native(kind, [value], {})
    return m.graph.cast(value, kind)


def _round(m: Machine, args: list, keywords: dict) -> Any:
    value, digits = m.number(args[0]), args[1] if len(args) > 1 else keywords.get("ndigits")
    if digits is not None:
        if isinstance(example(value), float) and not isinstance(example(value), np.generic):
            raise Unsupported(
                "round of a Python float to decimals, which Python computes exactly",
                "use np.round, or compare whole numbers",
            )
        return numpy_calls.rounded_to(m, value, digits)
    like = np.round(np.asarray(example(value)))
    return m.graph.cast(m.graph.call("jnp.round", (value,), like[()]), int)


def _abs(m: Machine, args: list, keywords: dict) -> Any:
    def one(value: Any) -> Any:
        value = m.number(value)
        if not isinstance(value, Node):
            return abs(value)
        return m.graph.call("jnp.abs", (value,), abs(value.like))

    return m.spread(one, m.settled(args[0]))


def _extreme(greater: bool) -> Handler:
    """Handle min and max as Python does: the first of equals, with its type."""

    def handler(m: Machine, args: list, keywords: dict) -> Any:
        values = args if len(args) > 1 else m.items(args[0])
        if isinstance(values, Growing):
            if keywords or values.rows:
                raise Unsupported("min or max with options, of a list of unknown length")
            m.assumptions += 1
            return _extreme_of_growing(m, values, greater)
        if keywords.get("key") is not None and not isinstance(values, Ragged) and values:
            keys = _known_keys(m, tuple(values), keywords["key"])
            pick = max if greater else min
            return values[pick(range(len(values)), key=lambda k: keys[k])]
        if isinstance(values, Ragged) or not values:
            if not isinstance(values, Ragged) and "default" in keywords:
                return keywords["default"]
            raise Unsupported("min or max of this list")
        best = m.settled(values[0])
        for value in values[1:]:
            best = m.spread(lambda a, b: _larger(m, a, b, greater), best, m.settled(value))
        return best

    return handler


def _larger(m: Machine, best: Any, value: Any, greater: bool) -> Any:
    if not isinstance(best, Node) and not isinstance(value, Node):
        return max(best, value) if greater else min(best, value)
    if isinstance(best, tuple) or isinstance(value, tuple):
        raise Unsupported("min or max of tuples")
    if m.alike(best, value):
        name = "jnp.maximum" if greater else "jnp.minimum"
        a, b = m.graph.fitting(best, value, kinds.word(kinds.common(best, value)))
        likes = [example(best), example(value)]
        like = max(likes) if greater else min(likes)
        own = [type(v) for v in likes if isinstance(v, np.generic)]
        like = own[0](like) if own else like
        return m.graph.call(name, (a, b), like)
    wins = m.graph.compare(">" if greater else "<", value, best)
    return m.merge(wins, value, best)


def _extreme_of_growing(m: Machine, contents: Growing, greater: bool) -> Any:
    bound = _bound(contents.places.dtype, not greater)
    masked = m.graph.where(m.mask(contents), contents.places, bound)
    name = "jnp.max" if greater else "jnp.min"
    return m.graph.call(name, (masked,), contents.places.like.flat[0].item())


def _bound(dtype: np.dtype, largest: bool) -> Any:
    if dtype.kind == "f":
        return math.inf if largest else -math.inf
    info = np.iinfo(np.int32)
    return info.max if largest else info.min


def _sum(m: Machine, args: list, keywords: dict) -> Any:
    items = m.items(args[0])
    start = args[1] if len(args) > 1 else keywords.get("start", 0)
    if isinstance(items, Growing):
        masked = m.graph.where(m.mask(items), items.places, 0)
        total = m.graph.call("jnp.sum", (masked,), np.sum(masked.like).item())
        return m.binary("+", total, start) if start else total
    if isinstance(items, Ragged):
        items = tuple(
            m.merge(m.graph.compare("<", k, items.count), v, 0) for k, v in enumerate(items.items)
        )
    total = start
    for item in items:
        # Python starts from 0, which adds nothing to a number, but makes one of a truth.
        nothing = is_number(total) and total == 0 and not _is_truth(m.settled(item))
        nothing = nothing and not is_number(item)
        total = item if nothing else m.binary("+", total, item)
    return total


def _is_truth(value: Any) -> bool:
    if isinstance(value, Choice):
        return _is_truth(value.yes) or _is_truth(value.no)
    return isinstance(value, Node) and value.dtype.kind == "b"


def _known_keys(m: Machine, items: tuple, key: Any) -> list:
    """Return the keys by which known order decides."""
    keys = list(items) if key is None else [m.call(key, [item], {}) for item in items]
    if not all(map(m.is_known, keys)):
        raise Unsupported("an order by keys that are not known", "compare in a loop")
    return [m.real(one) for one in keys]


def ordered(m: Machine, args: list, keywords: dict) -> Any:
    """`sorted(*args, **keywords)`."""
    items = m.items(args[0])
    if not isinstance(items, Growing | Ragged):
        keys = None
        if keywords.get("key") is not None or all(map(m.is_known, items)):
            keys = _known_keys(m, items, keywords.get("key"))
        if keys is not None:
            places = range(len(items))
            backwards = bool(m.real(keywords.get("reverse", False)))
            try:
                order = sorted(places, key=lambda k: keys[k], reverse=backwards)
            except TypeError as error:
                raise Impossible(str(error)) from error
            return m.new_list(items[k] for k in order)
    if keywords or isinstance(items, Ragged) or getattr(items, "rows", ""):
        raise Unsupported("sorting unknown values by a key or backwards", "use np.sort")
    if not isinstance(items, Growing) and len({type(example(v)) for v in items}) > 1:
        raise Unsupported("sorting numbers of several kinds", "make them all floats")
    if isinstance(items, Growing):
        padded = m.graph.where(m.mask(items), items.places, _bound(items.places.dtype, True))
        like = np.sort(padded.like)
        if np.ndim(like) != 1:
            raise Unsupported("sorting a list of unknown length of lists")
        return m.new_list(Growing(m.graph.call("jnp.sort", (padded,), like), items.count))
    array = m.number(m.new_list(items))
    made = m.graph.call("jnp.sort", (array,), np.sort(array.like))
    like = [example(v) for v in items]
    return m.new_list(
        m.graph.renamed(v, type(like[0])(v.like)) if isinstance(v, Node) else v
        for v in m.items(made)
    )


def _range(m: Machine, args: list, keywords: dict) -> Any:
    args = [m.number(a) for a in args]
    start, stop = (0, args[0]) if len(args) == 1 else args[:2]
    step = args[2] if len(args) > 2 else 1
    if isinstance(step, Node):
        raise Unsupported("range with an unknown step")
    return Span(start, stop, int(step))


def _sequence(kind: type) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        items = m.items(args[0]) if args else ()
        if isinstance(items, Growing | Ragged):
            return m.new_list(items)
        return tuple(items) if kind is tuple else m.new_list(items)

    return handler


def _zip(m: Machine, args: list, keywords: dict) -> Any:
    columns = [m.items(a) for a in args]
    if any(not isinstance(c, tuple) for c in columns):
        raise Unsupported("zip of a list of unknown length")
    return m.new_list(tuple(row) for row in zip(*columns, strict=False))


def _enumerate(m: Machine, args: list, keywords: dict) -> Any:
    items = m.items_or_ragged(args[0])
    first = args[1] if len(args) > 1 else keywords.get("start", 0)
    if isinstance(items, Ragged):
        pairs = tuple((first + k, v) for k, v in enumerate(items.items))
        return m.new_list(Ragged(pairs, items.count))
    return m.new_list((first + k, v) for k, v in enumerate(items))


def _reversed(m: Machine, args: list, keywords: dict) -> Any:
    items = m.items(args[0])
    if not isinstance(items, tuple):
        raise Unsupported("reversed, of a list of unknown length")
    return m.new_list(reversed(items))


def _quantified(every: bool) -> Handler:
    def handler(m: Machine, args: list, keywords: dict) -> Any:
        items = m.items(args[0])
        if isinstance(items, Growing):
            truths = m.graph.compare("!=", items.places, 0)
            mask = m.mask(items)
            if every:
                either = m.graph.either(m.graph.negate_array(mask), truths)
                return m.graph.call("jnp.all", (either,), True)
            return m.graph.call("jnp.any", (m.graph.both(mask, truths),), True)
        found: Any = every
        many = items.items if isinstance(items, Ragged) else items
        for number, item in enumerate(many):
            truth = m.truth(item)
            if isinstance(items, Ragged):
                here = m.graph.compare("<", number, items.count)
                if every:
                    truth = m.graph.either(m.graph.negate(here), truth)
                else:
                    truth = m.graph.both(here, truth)
            found = m.graph.both(found, truth) if every else m.graph.either(found, truth)
        return found

    return handler


def _isinstance(m: Machine, args: list, keywords: dict) -> Any:
    value, kinds_ = args
    if isinstance(value, Choice):
        return m.truth(m.spread(lambda v: _isinstance(m, [v, kinds_], {}), value))
    if isinstance(value, Poison):
        raise value.error
    if isinstance(value, Table | Text | Growing | Ragged | Span | Method):
        raise Unsupported("isinstance of a value of a kind that is not known here")
    if isinstance(value, Node):
        return isinstance(value.like, kinds_)
    if isinstance(value, Reference) and value.kind != "array":
        return isinstance({"list": [], "dict": {}, "set": set()}[value.kind], kinds_)
    contents = m.settled(value)
    if isinstance(contents, Node | np.ndarray):
        return isinstance(np.asarray(example(contents)), kinds_)
    return isinstance(value, kinds_)


def _type(m: Machine, args: list, keywords: dict) -> Any:
    if len(args) != 1 or isinstance(args[0], UNKNOWN):
        raise Unsupported("the type of an unknown value")
    kinds_ = {"list": list, "dict": dict, "set": set, "array": np.ndarray}
    value = args[0]
    return kinds_[value.kind] if isinstance(value, Reference) else type(value)


def _sets(m: Machine, args: list, keywords: dict) -> Any:
    items = m.items(args[0]) if args else ()
    if isinstance(items, Growing | Ragged) or not all(map(m.is_known, items)):
        raise Unsupported("a set of unknown values", "use a list or an array of truths")
    return m.new("set", frozenset(m.real(item) for item in items))


def _dicts(m: Machine, args: list, keywords: dict) -> Any:
    made = m.new("dict", {})
    m.call_method(made, "update", args, keywords)
    return made


def _filter(m: Machine, args: list, keywords: dict) -> Any:
    items = m.items(args[1])
    if isinstance(items, Growing | Ragged):
        raise Unsupported("filter of a list of unknown length", "use a comprehension")
    kept = []
    for item in items:
        truth = m.truth(item if args[0] is None else m.call(args[0], [item], {}))
        if isinstance(truth, Node):
            raise Unsupported("filter by an unknown condition", "use a comprehension")
        kept += [item] if truth else []
    return m.new_list(kept)


def _map(m: Machine, args: list, keywords: dict) -> Any:
    columns = [m.items(a) for a in args[1:]]
    if any(not isinstance(c, tuple) for c in columns):
        raise Unsupported("map of a list of unknown length", "use a comprehension")
    return m.new_list(m.call(args[0], list(row), {}) for row in zip(*columns, strict=False))


def _setattr(m: Machine, args: list, keywords: dict) -> Any:
    m.set_attribute(args[0], m.real(args[1]), args[2])


def _getattr(m: Machine, args: list, keywords: dict) -> Any:
    try:
        return m.attribute(args[0], args[1])
    except Impossible:
        if len(args) > 2:
            return args[2]
        raise


def _hasattr(m: Machine, args: list, keywords: dict) -> Any:
    try:
        m.attribute(args[0], args[1])
    except Impossible:
        return False
    return True


RENAMED = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "fabs": "abs",
}  # fmt: skip


def _math(name: str) -> Handler:
    """Handle a function of floats. Its arguments become Python floats first."""
    function = getattr(math, name)
    written = RENAMED.get(name, name)

    def handler(m: Machine, args: list, keywords: dict) -> Any:
        return m.spread(lambda *values: apply(m, values), *(m.settled(a) for a in args))

    def apply(m: Machine, values: tuple) -> Any:
        numbers = [m.number(v) for v in values]
        numbers = [m.graph.cast(v, float) if isinstance(v, Node) else v for v in numbers]
        m.assumptions += name in RAISING
        if len(numbers) > 1 and name in ("log", "hypot") and not _takes(name, numbers):
            raise Unsupported(f"math.{name} of {len(numbers)} unknown values")
        if not any(isinstance(v, Node) for v in numbers):
            return function(*numbers)
        if name == "pow":
            return m.graph.binary("**", *numbers)
        try:
            like = float(function(*(example(v) for v in numbers)))
        except (ValueError, OverflowError, ZeroDivisionError):
            like = 1.0
        found = m.graph.call(f"jnp.{written}", tuple(numbers), like)
        return m.graph.cast(found, int) if name in ("floor", "ceil", "trunc") else found

    return handler


_FLOATS = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "expm1",
    "log", "log2", "log10", "log1p", "sqrt", "hypot", "radians", "degrees", "pow", "fabs", "fmod",
    "copysign", "floor", "ceil", "trunc",
]  # fmt: skip


def _takes(name: str, numbers: list) -> bool:
    known = not any(isinstance(v, Node) for v in numbers)
    return known or (name == "hypot" and len(numbers) == 2)


RAISING = ("sqrt", "log", "log2", "log10", "log1p", "asin", "acos", "exp", "pow", "fmod")


def _is_nan(name: str) -> Handler:
    return lambda m, args, keywords: m.graph.call(f"jnp.{name}", (m.number(args[0]),), False)


def _is_close(m: Machine, args: list, keywords: dict) -> Any:
    """Handle `math.isclose`: within a share of the larger value, or a fixed distance."""
    a, b = (m.graph.cast(m.number(v), float) for v in args[:2])
    relative = m.real(keywords.get("rel_tol", 1e-9))
    absolute = m.real(keywords.get("abs_tol", 0.0))
    apart, size_a, size_b = (_abs(m, [v], {}) for v in (m.graph.binary("-", a, b), a, b))
    larger = _larger(m, size_a, size_b, True)
    allowed = _larger(m, m.graph.binary("*", relative, larger), absolute, True)
    return m.graph.renamed(m.graph.compare("<=", apart, allowed), True)


HANDLERS: dict[Any, Handler] = {
    math.isclose: _is_close,
    len: lambda m, args, keywords: m.length(args[0]),
    int: _convert(int),
    float: _convert(float),
    bool: _convert(bool),
    round: _round,
    abs: _abs,
    min: _extreme(False),
    max: _extreme(True),
    sum: _sum,
    sorted: ordered,
    type: _type,
    set: _sets,
    dict: _dicts,
    filter: _filter,
    range: _range,
    list: _sequence(list),
    tuple: _sequence(tuple),
    zip: _zip,
    enumerate: _enumerate,
    reversed: _reversed,
    all: _quantified(True),
    any: _quantified(False),
    isinstance: _isinstance,
    map: _map,
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    str: lambda m, args, keywords: Text(),
    repr: lambda m, args, keywords: Text(),
    divmod: lambda m, args, keywords: (m.binary("//", *args), m.binary("%", *args)),
    **{getattr(math, name): _math(name) for name in _FLOATS},
    **{getattr(math, name): _is_nan(name) for name in ("isnan", "isfinite", "isinf")},
}
# These inspect what may have changed, or call functions that must be interpreted.
ALWAYS = {HANDLERS[f] for f in (list, getattr, hasattr, isinstance, map, zip, enumerate, len)}
ALWAYS |= {HANDLERS[f] for f in (reversed, tuple, sorted, min, max, type, setattr)}
ALWAYS |= {HANDLERS[f] for f in (set, dict, filter)}
ALWAYS |= {numpy_calls.HANDLERS[f] for f in (copy.copy, copy.deepcopy)}
