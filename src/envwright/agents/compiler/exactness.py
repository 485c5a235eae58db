"""What a compiler would compute otherwise than NumPy, and where it has to be kept from it.

XLA puts functions where they are called, so that all of this looks through calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler.functions import Function, nodes_below, result_of
from envwright.agents.compiler.values import Node, is_float, is_number, nodes_in

CONSTANT, WHOLE = "constant", "whole"  # what may be known of a function's parameter
FOLDED = ("+", "-", "*", "/")  # what Python computes of constants as NumPy does


def bare(node: Node) -> Node:
    """Without changes of type that are not written."""
    while node.op == "same":
        node = node.args[0]
    return node


def trait(node: Node) -> str:
    """What is known of a parameter: its argument is a constant, or made of whole numbers."""
    return node.attrs[5] if node.op == "input" and len(node.attrs) > 5 else ""


def is_constant(value: Any) -> bool:
    """Whether it is known when the program is traced: made of numbers and constant parameters."""
    if not isinstance(value, Node):
        return is_number(value)
    if value.op == "input":
        return trait(value) == CONSTANT
    return bool(nodes_in(value.args)) and all(map(is_constant, _flat(value.args)))


def is_folded(node: Node) -> bool:
    """Whether what is made of constants alone is what Python computes as NumPy does."""
    plain = node.op in ("input", "same")
    plain = plain or (node.op == "binary" and node.attrs[0] in FOLDED)
    return plain or (node.op == "unary" and node.attrs[0] == "-")


def would_be_joined(value: Node, parent: Node) -> bool:
    """Fused multiply-add, and constants that a compiler would draw together."""
    symbol, inner = parent.attrs[0], _inner(value)
    if symbol in "+-":
        if inner.product:
            return True
        return (
            inner.op == "binary"
            and inner.attrs[0] in "+-"
            and _has_literal(inner)
            and _has_literal(parent)
        )
    if symbol == "*":
        joined = inner.op == "binary" and inner.attrs[0] == "*"
        return joined and _has_literal(inner) and _has_literal(parent)
    return symbol == "/" and inner.op == "binary" and inner.attrs[0] == "/"


def joined_inside(parameter: Node, argument: Any, function: Function) -> bool:
    """Whether a function does something with an argument that a compiler would join with it."""
    if not isinstance(argument, Node) or not is_float(argument) or is_constant(argument):
        return False
    for node in nodes_below(function.results):
        if node.op == "invoke":
            called = node.attrs[0]
            for inner, given in zip(called.parameters, node.args, strict=True):
                if _signless(given) is parameter and joined_inside(inner, argument, called):
                    return True
        elif node.op == "binary" and is_float(node):
            used = any(_signless(operand) is parameter for operand in node.args)
            if used and would_be_joined(argument, node):
                return True
    return False


def surely_a_number(value: Any) -> bool:
    """Whether a compiler can see that it is no NaN: made of whole numbers and constants."""
    if not isinstance(value, Node) or value.dtype.kind != "f":
        return True
    if value.op in ("invoke", "part"):
        return surely_a_number(result_of(value))
    if value.op == "input":
        return trait(value) in (CONSTANT, WHOLE)
    if value.op == "where":
        return all(surely_a_number(v) for v in value.args[1:])
    known = value.op in ("same", "cast", "unary")
    known = known or (value.op == "binary" and value.attrs[0] in "+-*")
    return known and all(surely_a_number(v) for v in value.args)


def needs_exact(divisor: Any) -> bool:
    """Whether a division could be turned into a product with the reciprocal."""
    if isinstance(divisor, Node):
        return not varies(divisor)
    return not is_number(divisor) or np.frexp(abs(float(divisor)))[0] != 0.5


def varies(value: Any, seen: set[int] | None = None) -> bool:
    """Whether it is another number in every step: neither a constant nor an option."""
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
    return any(varies(n, seen) for n in nodes_in(node.args))


def _inner(value: Node) -> Node:
    """What is computed last, within a function that is called too."""
    value = bare(value)
    while value.op in ("invoke", "part"):
        value = bare(result_of(value))
    return value


def _signless(value: Any) -> Any:
    while isinstance(value, Node) and (value.op == "same" or value.attrs == ("-",)):
        if len(value.args) != 1:
            break
        value = value.args[0]
    return value


def _has_literal(node: Node) -> bool:
    return any(map(is_constant, node.args))


def _flat(args: Any) -> list[Any]:
    if isinstance(args, tuple | list):
        return [leaf for part in args for leaf in _flat(part)]
    return [args]
