"""Find where XLA would compute something else than NumPy and has to be prevented.

XLA inlines functions, so these analyses look through calls.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler.functions import nodes_below, result_of
from envwright.agents.compiler.values import Node, is_float, is_number, nodes_in

# What may be known of a parameter: that its argument is a constant, consists of whole numbers,
# or is an array with such elements.
CONSTANT, WHOLE, MIXED = "constant", "whole", "mixed"
FOLDED = ("+", "-", "*", "/")  # Python folds these constants as NumPy does


def _remembered(function: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Compute once per node, operands first: graphs are deep and nodes have many users."""
    name = function.__name__

    @functools.wraps(function)
    def asked(value: Any) -> bool:
        if not isinstance(value, Node):
            return function(value)
        todo, found = [value], {}
        while todo:
            node = todo.pop()
            if name not in node.facts and node.number not in found:
                found[node.number] = node
                todo += nodes_in(node.args)
        for _, node in sorted(found.items()):
            node.facts[name] = function(node)
        return value.facts[name]

    return asked


def bare(node: Node) -> Node:
    """Strip changes of type that are not written."""
    while node.op == "same":
        node = node.args[0]
    return node


def trait(node: Node) -> str:
    """Return what is known of a parameter."""
    return node.attrs[5] if node.op == "input" and len(node.attrs) > 5 else ""


@_remembered
def is_constant(value: Any) -> bool:
    """Return whether a value is known at trace time: made of numbers and constant parameters."""
    if not isinstance(value, Node):
        return is_number(value)
    if value.op == "input":
        return trait(value) == CONSTANT
    return bool(nodes_in(value.args)) and all(map(is_constant, _flat(value.args)))


def is_folded(node: Node) -> bool:
    """Return whether Python computes a constant expression as NumPy does."""
    plain = node.op in ("input", "same")
    plain = plain or (node.op == "binary" and node.attrs[0] in FOLDED)
    return plain or (node.op == "unary" and node.attrs[0] == "-")


def would_be_joined(value: Node, parent: Node, calls: tuple = ()) -> bool:
    """Return whether a compiler would fuse a multiply-add or fold constants.

    The operation is inside the functions of `calls`, the outermost first.
    """
    symbol, inner = parent.attrs[0], _inner(value, calls)
    if symbol in "+-":
        return inner.product or _literals_meet(inner, parent, "+-", calls)
    if symbol == "*":
        return _literals_meet(inner, parent, "*", calls)
    return symbol == "/" and _is_operation(inner, "/")


def _literals_meet(inner: Node, parent: Node, symbols: str, calls: tuple) -> bool:
    """Return whether literals meet, as in (A + 2) + 3 and (A + 2) + (B + 3)."""
    if not _is_operation(inner, symbols) or not _has_literal(inner):
        return False
    operands = [_inner(a, calls) for a in parent.args if isinstance(a, Node)]
    alike = sum(_is_operation(o, symbols) and _has_literal(o) for o in operands)
    return alike > 1 or _has_literal(parent)


def joined_inside(call: Node, place: int, around: tuple = ()) -> bool:
    """Return whether a compiler would fuse an argument with a function's operation on it."""
    argument, calls = call.args[place], (*around, call)
    if not isinstance(argument, Node) or not is_float(argument) or is_constant(argument):
        return False
    parameter = call.attrs[0].parameters[place]
    for node in nodes_below(call.attrs[0].results):
        if node.op != "invoke" and not (node.op == "binary" and is_float(node)):
            continue
        for number, operand in enumerate(node.args):
            if not isinstance(operand, Node) or _indexed(_inner(operand))[0] is not parameter:
                continue
            if node.op == "invoke" and joined_inside(node, number, calls):
                return True
            if node.op == "binary" and would_be_joined(operand, node, calls):
                return True
    return False


@_remembered
def surely_a_number(value: Any) -> bool:
    """Return whether a compiler can prove that a value is not NaN."""
    if not isinstance(value, Node) or value.dtype.kind != "f":
        return True
    if value.op in ("invoke", "part"):
        return surely_a_number(result_of(value))
    if value.op == "index":
        base, path = _indexed(value)
        found = element(base, path)
        return trait(base) == MIXED or surely_a_number(base if found is None else found)
    if value.op == "input":
        return trait(value) in (CONSTANT, WHOLE)
    if value.op == "where":
        return all(surely_a_number(v) for v in value.args[1:])
    known = value.op in ("same", "cast", "unary")
    known = known or (value.op == "binary" and value.attrs[0] in "+-*")
    return known and all(surely_a_number(v) for v in value.args)


def needs_exact(divisor: Any) -> bool:
    """Return whether a division could become a product with the reciprocal."""
    if isinstance(divisor, Node):
        return not varies(divisor)
    return not is_number(divisor) or np.frexp(abs(float(divisor)))[0] != 0.5


def varies(value: Any, seen: set[int] | None = None) -> bool:
    """Return whether a value changes from step to step: neither a constant nor an option."""
    if not isinstance(value, Node):
        return False
    node, seen = bare(value), set() if seen is None else seen
    if id(node) in seen:
        return False
    seen.add(id(node))
    if node.op in ("variable", "out", "undrawn"):
        return True
    if node.op == "input":
        return node.attrs[1] != "option"
    if node.op == "part" or (node.op == "invoke" and node.like is not None):
        return varies(result_of(node), seen)
    if node.op == "index":
        base, path = _indexed(node)
        found = element(base, path)
        if trait(base) == MIXED or found is not None:
            return trait(base) != MIXED and varies(found, seen)
    return any(varies(n, seen) for n in nodes_in(node.args))


def element(array: Node, path: list[tuple]) -> Any:
    """Return an element of an array that was assembled, or None."""
    array = _made(array)
    if array.op == "index":
        array, before = _indexed(array)
        return element(array, [*before, *path])
    items = _items(array)
    if items is None or len(items) != np.prod(array.shape):
        return None
    places = np.arange(len(items)).reshape(array.shape)
    for index in path:
        if any(isinstance(i, Node) for i in index):
            return None
        places = places[index]
    return None if np.ndim(places) else items[int(places)]


def mixed(array: Node) -> bool:
    """Return whether a compiler can see constants or whole numbers among the elements."""
    array = _made(array)
    seen = [v for v in _items(array) or [] if not varies(v) or surely_a_number(v)]
    return trait(array) == MIXED or bool(seen)


def _made(array: Node) -> Node:
    """Return the operation that makes an array, looking into functions."""
    array = bare(array)
    while array.op in ("invoke", "part"):
        array = bare(result_of(array))
    return array


def _items(array: Node) -> list[Any] | None:
    """Return the elements of an array that was assembled, or None."""
    if array.op == "gathered":
        return list(array.args[0].attrs[0].results)
    return _flat(array.args[0]) if array.op == "array" else None


def _indexed(node: Node) -> tuple[Node, list[tuple]]:
    """Return an array and how to find an element of it."""
    path: list[tuple] = []
    node = bare(node)
    while node.op == "index":
        path.insert(0, node.args[1])
        node = bare(node.args[0])
    return node, path


def _inner(value: Node, calls: tuple = ()) -> Node:
    """Return the last operation except signs and products with 1, looking into functions."""
    stack = list(calls)
    value = bare(value)
    while True:
        found: Any = None
        base, path = _indexed(value)
        if value.op in ("invoke", "part"):
            stack.append(value if value.op == "invoke" else value.args[0])
            found = result_of(value)
        elif stack and base in stack[-1].attrs[0].parameters:
            call = stack.pop()
            given = call.args[call.attrs[0].parameters.index(base)]
            found = element(given, path) if path and isinstance(given, Node) else given
        elif path:
            found = element(base, path)
        elif value.op == "unary" and value.attrs[0] == "-":
            found = value.args[0]
        elif _is_operation(value, "*"):
            found = _factor_of_one(value)
        if not isinstance(found, Node):
            return value
        value = bare(found)


def _is_operation(node: Node, symbols: str) -> bool:
    return node.op == "binary" and node.attrs[0] in symbols


def _factor_of_one(product: Node) -> Any:
    a, b = product.args
    for one, other in ((a, b), (b, a)):
        if is_number(one) and float(one) == 1.0 and isinstance(other, Node):
            return other
    return None


def _has_literal(node: Node) -> bool:
    return any(map(_may_be_literal, node.args))


@_remembered
def _may_be_literal(value: Any) -> bool:
    """Return whether a compiler might see a number there, even in a given array."""
    if not isinstance(value, Node):
        return is_number(value)
    value = bare(value)
    if value.op in ("invoke", "part"):
        return _may_be_literal(result_of(value))
    if value.op == "index":
        base, path = _indexed(value)
        found = element(base, path)
        return trait(base) == MIXED or (found is not None and _may_be_literal(found))
    if value.op == "input":
        return trait(value) == CONSTANT
    return bool(nodes_in(value.args)) and all(map(_may_be_literal, _flat(value.args)))


def _flat(args: Any) -> list[Any]:
    if isinstance(args, tuple | list):
        return [leaf for part in args for leaf in _flat(part)]
    return [args]
