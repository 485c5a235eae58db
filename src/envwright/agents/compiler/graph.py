"""The graph of a program: each operation once, with casts where JAX promotes differently."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.exactness import bare, element
from envwright.agents.compiler.functions import whole_call
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Node, example, is_float, is_number, plain

BINARY: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
COMPARISONS: dict[str, Callable] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
LARGEST = 2**31 - 1
OWN = (int, float, bool)  # Python's own types


class Graph:
    """Creates nodes. Equal operations on equal operands are the same node."""

    def __init__(self) -> None:
        self._known: dict[tuple, Node] = {}
        self._count = 0

    def node(self, op: str, args: tuple, attrs: tuple, like: Any) -> Node:
        """Return a node of this kind."""
        key = (op, attrs, tuple(map(_key, args)), type(like))
        found = self._known.get(key)
        if found is None:
            self._count += 1
            found = self._known[key] = Node(op, args, attrs, like, self._count)
        return found

    def fresh(self, op: str, args: tuple, attrs: tuple, like: Any) -> Node:
        """Return a node that equals no other, such as a loop variable."""
        self._count += 1
        return Node(op, args, attrs, like, self._count)

    def input(self, text: str, like: Any, group: str = "") -> Node:
        """Return an input of the program. `text` is how the program writes it."""
        example_ = np.asarray(like)
        return self.node("input", (), (text, group, example_.dtype.str, example_.shape), like)

    # --- arithmetic ----------------------------------------------------------------------

    def binary(self, symbol: str, a: Any, b: Any) -> Any:
        """`a symbol b`, in NumPy's dtype."""
        if not isinstance(a, Node) and not isinstance(b, Node):
            return BINARY[symbol](a, b)
        like = _tried(BINARY[symbol], example(a), example(b))
        _refuse_large(like, a, b)
        if symbol == "**" and np.ndim(like) == 0 and is_float(like) and not _is_trivial(b):
            return self._scalar_power(a, b, like)
        return self._operation(symbol, a, b, like)

    def power(self, a: Any, b: Any) -> Any:
        """`np.power`, which computes small powers as products, also of single numbers."""
        return self._operation("**", a, b, _tried(np.power, example(a), example(b)))

    def _operation(self, symbol: str, a: Any, b: Any, like: Any) -> Node:
        wanted = kinds.word(np.asarray(like).dtype)
        if symbol != "**" or not _is_small(b):
            a, b = self.fitting(a, b, wanted)
        elif kinds.word_of(a) != wanted:
            a = self.cast(a, np.asarray(like).dtype)
        node = self.node("binary", (a, b), (symbol,), like)
        rounds = symbol == "**" or (symbol == "*" and not _exact_factor(a, b))
        node.product = rounds and is_float(node)
        return node

    def _scalar_power(self, a: Any, b: Any, like: Any) -> Node:
        """A power of single numbers, as the system's `pow` computes it."""
        dtype = np.asarray(like).dtype
        a, b = (self.cast(v, dtype) if isinstance(v, Node) else v for v in (a, b))
        return self.call("scalar_power", (a, b), like)

    def compare(self, symbol: str, a: Any, b: Any) -> Any:
        """A comparison, in NumPy's dtype."""
        if not isinstance(a, Node) and not isinstance(b, Node):
            return COMPARISONS[symbol](a, b)
        like = _tried(COMPARISONS[symbol], example(a), example(b))
        a, b = self.fitting(a, b, kinds.word(kinds.common(a, b)))
        return self.node("binary", (a, b), (symbol,), like)

    def unary(self, symbol: str, a: Any) -> Any:
        """`-a`, `+a`, or `~a`."""
        function = {"-": operator.neg, "+": operator.pos, "~": operator.invert}[symbol]
        if not isinstance(a, Node):
            return function(a)
        if symbol == "+":
            return a
        if a.dtype.kind == "b" and isinstance(a.like, bool):
            a = self.cast(a, np.int64)  # Python's True is 1
        node = self.node("unary", (a,), (symbol,), function(a.like))
        node.product = a.product
        return node

    def fitting(self, a: Any, b: Any, wanted: str) -> tuple[Any, Any]:
        """Cast the operands if JAX would compute in another dtype."""
        if kinds.promoted(a, b) == wanted:
            return a, b
        return self._as_kind(a, wanted), self._as_kind(b, wanted)

    def _as_kind(self, value: Any, wanted: str) -> Any:
        if isinstance(value, Node) and kinds.word_of(value) != wanted:
            return self.node("cast", (value,), (wanted,), _converted(value.like, wanted))
        return value

    # --- truth ---------------------------------------------------------------------------

    def truth(self, a: Any) -> Any:
        """`bool(a)`."""
        if not isinstance(a, Node):
            return bool(a)
        bare = a
        while bare.op in ("same", "cast") and bare.dtype.kind != "b":
            bare = bare.args[0]
        if bare.dtype.kind == "b":
            return bare
        return self.compare("!=", a, 0)

    def negate(self, a: Any) -> Any:
        """`not a`."""
        if not isinstance(a, Node):
            return not a
        a = self.truth(a)
        if a.op == "unary" and a.attrs == ("~",):
            return a.args[0]
        return self.node("unary", (a,), ("~",), np.logical_not(a.like))

    def negate_array(self, a: Node) -> Node:
        """`~a` of a boolean array."""
        return self.node("unary", (a,), ("~",), np.logical_not(a.like))

    def both(self, a: Any, b: Any) -> Any:
        """`a and b` of booleans."""
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Node):
                return other if one else False
        return a if a is b else self.node("binary", (a, b), ("&",), np.logical_and(a.like, b.like))

    def either(self, a: Any, b: Any) -> Any:
        """`a or b` of booleans."""
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Node):
                return True if one else other
        return a if a is b else self.node("binary", (a, b), ("|",), np.logical_or(a.like, b.like))

    # --- choice and dtype ------------------------------------------------------------------

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Choose between two numbers or arrays of one kind."""
        if not isinstance(condition, Node):
            return yes if condition else no
        if yes is no:
            return yes
        if condition.op == "unary" and condition.attrs == ("~",):
            condition, yes, no = condition.args[0], no, yes
        decided = self._decided(condition, yes, no)
        if decided is not None:
            return decided
        dtype = kinds.common(yes, no)
        like = np.where(np.asarray(condition.like), example(yes), example(no)).astype(dtype)
        if like.ndim == 0:
            like = _number_like(like, yes, no)
        yes, no = self.fitting(yes, no, kinds.word(dtype))
        return self.node("where", (condition, yes, no), (), like)

    def _decided(self, condition: Node, yes: Any, no: Any) -> Any:
        """Express a choice between booleans, one of which is known, with `and` and `or`."""
        truths = [
            isinstance(v, bool) or (isinstance(v, Node) and v.dtype.kind == "b" and not v.shape)
            for v in (yes, no)
        ]
        if not all(truths) or condition.shape:
            return None
        if isinstance(yes, bool):
            other = self.negate(condition)
            return self.either(condition, no) if yes else self.both(other, no)
        if isinstance(no, bool):
            other = self.negate(condition)
            return self.either(other, yes) if no else self.both(condition, yes)
        return None

    def cast(self, a: Any, dtype: Any) -> Any:
        """Cast to another dtype. Python's own types count as dtypes."""
        if not isinstance(a, Node):
            return dtype(a) if isinstance(dtype, type) and dtype in OWN else _cast(a, dtype)
        like = np.asarray(a.like).astype(dtype)
        own = isinstance(dtype, type) and dtype in OWN and like.ndim == 0
        made = like.item() if own else like[()]
        if np.dtype(dtype).kind == "b" and a.dtype.kind != "b":
            return self.renamed(self.compare("!=", a, 0), made)
        wanted = kinds.word(dtype)
        if kinds.word_of(a) == wanted:
            return self.renamed(a, made)
        return self.node("cast", (a,), (wanted,), made)

    def renamed(self, a: Node, like: Any) -> Node:
        """Return the same value as another type that is written alike: np.float64 and float."""
        if type(a.like) is type(like) and np.asarray(like).dtype == a.dtype:
            return a
        node = self.node("same", (a,), (), like)
        node.product = a.product
        return node

    # --- arrays ----------------------------------------------------------------------------

    def call(self, name: str, args: tuple, like: Any, **keywords: Any) -> Node:
        """Call a library function."""
        return self.node("call", args, (name, tuple(sorted(keywords.items()))), like)

    def constant(self, value: np.ndarray, hint: str = "") -> Node:
        """Return a known array as a table of the program."""
        value = np.asarray(value)
        if value.dtype.kind not in "biuf":
            raise Unsupported(f"an array of {value.dtype} in arithmetic with unknown values")
        key = ("table", value.tobytes(), value.shape, value.dtype.str)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.fresh("table", (), (), value)
        found.hint = found.hint or hint
        return found

    def array(self, items: Any, dtype: Any = None) -> Any:
        """`np.array` of a nested sequence of numbers, nodes among them."""
        like = np.array(example(items), dtype=dtype)
        if like.dtype.kind not in "biuf":
            raise Unsupported("an array of values that are not numbers")
        items, word = _tuples(items), kinds.word(like.dtype)
        whole = _whole_of(items)
        if whole is not None and kinds.word_of(whole) == word:
            return self.renamed(whole, like)
        call = whole_call(items)
        if call is not None:
            return self.node("gathered", (call,), (word,), like)
        return self.node("array", (items,), (word,), like)

    def index(self, base: Any, index: tuple) -> Any:
        """`base[index]`, computed now if possible."""
        while isinstance(base, Node) and base.op == "same" and np.ndim(base.like):
            base = base.args[0]
        if not isinstance(base, Node):
            if not any(isinstance(i, Node) for i in index):
                return base[index]
            base = self.constant(np.asarray(base))
        found = self._looked_up(base, index)
        if found is not None:
            return found
        like = np.asarray(base.like)[tuple(_harmless(i) for i in index)]
        return self.node("index", (base, index), (), like)

    def _looked_up(self, base: Node, index: tuple) -> Any:
        first = plain(index[0]) if index else None
        known = not any(isinstance(i, Node) for i in index)
        if base.op in ("invoke", "part", "gathered") and known:
            item = element(base, [tuple(plain(i) for i in index)])
            return self._as(item, base.dtype) if is_number(item) else None
        if base.op == "table" and known:
            return base.like[tuple(plain(i) for i in index)]
        if base.op == "array" and isinstance(first, int | np.integer | slice):
            try:
                item = base.args[0][first]
            except IndexError as error:
                raise Impossible(str(error)) from error
            if isinstance(first, slice):
                whole = self.array(item, base.dtype)
                rest = (slice(None), *index[1:])
                return whole if len(index) == 1 else self.index(whole, rest)
            if isinstance(item, tuple):
                item = self.array(item, base.dtype)
            item = self._as(item, base.dtype)
            return self.index(item, index[1:]) if index[1:] else item
        if base.op == "set" and known:
            return self._of_written(base, index)
        return None

    def _of_written(self, base: Node, index: tuple) -> Any:
        """Return an element of a written array if it is clear which write set it."""
        before, at, value = base.args
        if any(not isinstance(plain(i), int | np.integer) for i in (*at, *index)):
            return None
        size = base.shape
        here = [int(i) % n for i, n in zip(at, size, strict=False)]
        asked = [int(i) % n for i, n in zip(index, size, strict=False)]
        if any(a != b for a, b in zip(here, asked, strict=False)):
            return self.index(before, index)
        if len(asked) < len(here):
            return None
        value = self._as(value, base.dtype)
        rest = tuple(index[len(here) :])
        if np.ndim(example(value)) == 0:
            return None if size[len(index) :] else value
        return self.index(value, rest) if rest else value

    def _as(self, value: Any, dtype: np.dtype) -> Any:
        if isinstance(value, Node):
            same = value.dtype == dtype and not isinstance(value.like, bool | int | float)
            return value if same else self.cast(value, dtype)
        return _cast(value, dtype)

    def set(self, base: Any, index: tuple, value: Any) -> Node:
        """Return the array with other elements at an index."""
        base = base if isinstance(base, Node) else self.constant(np.asarray(base))
        like = np.array(base.like)
        like[tuple(_harmless(i) for i in index)] = example(value)
        made = self.node("set", (base, index, value), (), like)
        items = _written_items(made)
        return made if items is None else self.array(items, like.dtype)


def _refuse_large(like: Any, a: Any, b: Any) -> None:
    """Reject whole numbers that int32 cannot hold: the translation would wrap around."""
    for value in (like, example(a), example(b)):
        array = np.asarray(value)
        if array.dtype.kind not in "iuO" or not array.size:
            continue
        if array.max() > LARGEST or array.min() < -LARGEST:
            raise Unsupported(
                "whole numbers beyond 32 bits, which the translation does not have",
                "keep them below 2,147,483,648",
            )


def _key(value: Any) -> Any:
    if isinstance(value, Node):
        return ("node", id(value))
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if isinstance(value, slice):
        return ("slice", _key(value.start), _key(value.stop), _key(value.step))
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, value.tobytes())
    return (type(value), repr(value))


def _whole_of(items: tuple) -> Node | None:
    """Return the array whose elements these are, complete and in order, or None."""
    base: Any = None
    for place, item in enumerate(items):
        item = bare(item) if isinstance(item, Node) else item
        if not isinstance(item, Node) or item.op != "index" or item.args[1] != (place,):
            return None
        base = item.args[0] if base is None else base
        if item.args[0] is not base or base.shape != (len(items),):
            return None
    return base


def _written_items(node: Node) -> tuple | None:
    """Return an array's elements if all were written one by one, the last just now."""
    size, found = node.shape, {}
    while node.op == "set" and len(size) == 1:
        node, index, value = node.args
        place = plain(index[0]) if len(index) == 1 else None
        if not isinstance(place, int | np.integer) or isinstance(place, bool):
            return None
        if np.ndim(example(value)):
            return None
        found.setdefault(int(place) % size[0], value)
        if len(found) == size[0]:
            return tuple(found[k] for k in range(size[0]))
    return None


def _cast(value: Any, dtype: Any) -> Any:
    return np.asarray(value).astype(dtype)[()]


def _tuples(items: Any) -> tuple:
    return tuple(_tuples(i) if isinstance(i, tuple | list) else i for i in items)


def _harmless(index: Any) -> Any:
    """Return an example of an index that is within any array."""
    if isinstance(index, Node):
        return np.asarray(index.like) if index.dtype.kind == "b" else np.zeros(index.shape, int)
    return plain(index)


def _tried(function: Callable, a: Any, b: Any) -> Any:
    """Compute an example, with other operands if the examples divide by zero."""
    with np.errstate(all="ignore"):
        try:
            return function(a, b)
        except (ZeroDivisionError, OverflowError, ValueError):
            return function(type(a)(1), type(b)(1))
        except TypeError as error:
            raise Impossible(str(error)) from error


def _converted(like: Any, wanted: str) -> Any:
    made = {"float": np.float64, "bool": np.bool_}.get(wanted)
    dtype = made or getattr(np, wanted.removeprefix("jnp."))
    return _cast(like, np.int64 if dtype is np.int32 else dtype)


def _number_like(like: np.ndarray, yes: Any, no: Any) -> Any:
    """Return a number, of Python's own type if both operands were."""
    own = all(isinstance(example(v), bool | int | float) for v in (yes, no))
    own = own and not any(isinstance(example(v), np.generic) for v in (yes, no))
    return like.item() if own else like[()]


def _is_small(power: Any) -> bool:
    return is_number(power) and float(power).is_integer() and abs(power) <= 16


def _is_trivial(power: Any) -> bool:
    return is_number(power) and float(power) in (0.0, 1.0)


def _exact_factor(a: Any, b: Any) -> bool:
    """Return whether a product with a power of two is exact."""
    factors = [abs(float(v)) for v in (a, b) if is_number(v)]
    return any(f and np.frexp(f)[0] == 0.5 for f in factors)
