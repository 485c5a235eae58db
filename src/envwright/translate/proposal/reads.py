"""What a function's source shows: attributes and constants that it reads, how it branches."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from envwright.translate.proposal.calls import Function

LONGEST = 240  # characters of a constant that is written out
# Operations with the same digits everywhere: no products that a compiler fuses with a sum, no
# divisions that it turns into products, and only the two transcendental functions that
# every mathematical library rounds alike.
KEEPS_DIGITS = {"sin", "cos", "abs", "min", "max", "bool", "int", "float", "sqrt", "clip", "array"}
GROWS = {"append", "extend", "insert", "pop", "remove", "add", "discard", "popleft", "appendleft"}


@lru_cache(maxsize=512)
def tree(thing: Callable) -> ast.AST:
    """Parse the function. Returns an empty module if there is no source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])


def attributes_read(thing: Callable) -> list[str]:
    """Return the names in `self.NAME` that a method reads, in order."""
    nodes = [n for n in ast.walk(tree(thing)) if isinstance(n, ast.Attribute) and _is_self(n.value)]
    return list(dict.fromkeys(n.attr for n in nodes if isinstance(n.ctx, ast.Load)))


def attributes_of(function: Function, all_functions: dict[str, Function]) -> list[str]:
    """Return the attributes that a function and the functions it calls read."""
    found: dict[str, None] = {}
    todo, done = [function], set()
    while todo:
        here = todo.pop()
        done.add(here.target)
        found |= dict.fromkeys(attributes_read(here.thing))
        todo += [
            f
            for f in all_functions.values()
            if here.target in f.callers and f.target not in done and f.is_method
        ]
    return list(found)


def constants(functions: Iterable[Function], env: Any, state: Iterable[str]) -> dict[str, str]:
    """Return the values of `self` and of modules that functions read and no step changes."""
    found: dict[str, str] = {}
    for function in functions:
        names = attributes_read(function.thing) if function.is_method else []
        for name in names:
            value = getattr(env, name, None)
            if name not in state and _is_constant(value):
                found[f"self.{name}"] = _written(value)
        scope = getattr(function.thing, "__globals__", {})
        for name in _global_names(function.thing.__code__):
            if name in scope and _is_constant(scope[name]):
                found[name] = _written(scope[name])
    return {name: text for name, text in found.items() if text}


def hidden_tables(functions: Iterable[Function], env: Any, state: Iterable[str]) -> list[str]:
    """Return attributes that functions read and that are too large to write out."""
    found: dict[str, None] = {}
    for function in functions:
        for name in attributes_read(function.thing) if function.is_method else []:
            value = getattr(env, name, None)
            if name not in state and isinstance(value, dict | list | tuple | np.ndarray):
                if not _is_constant(value) or not _written(value):
                    found[name] = None
    return list(found)


def unpacked(functions: Iterable[Function], attribute: str, size: int) -> list[str]:
    """Return the source's names for the elements of `self.ATTRIBUTE`.

    `x, v = self.state`, or `x = self.state[0]` and so on for all of them.
    """
    for function in functions:
        by_index: dict[int, str] = {}
        for node in ast.walk(tree(function.thing)):
            if not isinstance(node, ast.Assign) or len(node.targets) != 1:
                continue
            left, right = node.targets[0], node.value
            if isinstance(left, ast.Tuple) and _is_self(right, attribute):
                names = [e.id for e in left.elts if isinstance(e, ast.Name)]
                if len(names) == size == len(set(names) - {"_"}):
                    return names
            if isinstance(left, ast.Name) and isinstance(right, ast.Subscript):
                index = right.slice
                if _is_self(right.value, attribute) and isinstance(index, ast.Constant):
                    if isinstance(index.value, int):
                        by_index.setdefault(index.value, left.id)
        if sorted(by_index) == list(range(size)) and len(set(by_index.values())) == size:
            return [by_index[i] for i in range(size)]
    return []


def keeps_digits(thing: Callable) -> bool:
    """Return whether every way to compute it gives the same digits."""
    for node in ast.walk(tree(thing)):
        if isinstance(node, ast.BinOp) and isinstance(
            node.op, ast.Mult | ast.Div | ast.Pow | ast.MatMult
        ):
            return False
        if isinstance(node, ast.Call) and _called(node) not in KEEPS_DIGITS:
            return False
    return True


@dataclass(frozen=True)
class Shape:
    """How code branches and loops."""

    decisions: int  # if, conditional expressions, and, or
    whiles: list[str]  # functions with a while
    growing: list[str]  # functions that make a container longer or shorter
    recursive: list[str]


def shape(functions: Iterable[Function]) -> Shape:
    """Return the shape of all functions together."""
    decisions, whiles, growing, recursive = 0, [], [], []
    for function in functions:
        nodes = list(ast.walk(tree(function.thing)))
        decisions += sum(isinstance(n, ast.If | ast.IfExp | ast.BoolOp) for n in nodes)
        if any(isinstance(n, ast.While) for n in nodes):
            whiles.append(function.short)
        given = function.parameters
        if any(isinstance(n, ast.Call) and _grows(n, given) for n in nodes):
            growing.append(function.short)
        if function.recursive:
            recursive.append(function.short)
    return Shape(decisions, whiles, growing, recursive)


def _global_names(code: CodeType) -> Iterator[str]:
    """Return global names, including those of nested functions."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _global_names(part)


def _is_self(node: ast.AST, attribute: str = "") -> bool:
    """Return whether a node is `self`, or `self.ATTRIBUTE`."""
    if attribute:
        return isinstance(node, ast.Attribute) and node.attr == attribute and _is_self(node.value)
    return isinstance(node, ast.Name) and node.id == "self"


def _grows(node: ast.Call, parameters: list[str]) -> bool:
    """Return whether the length of a container that outlives the call changes."""
    if _called(node) not in GROWS or not isinstance(node.func, ast.Attribute):
        return False
    held = node.func.value
    return isinstance(held, ast.Attribute) or getattr(held, "id", "") in parameters


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _is_constant(value: Any) -> bool:
    """Return whether a value is plain data, all the way down."""
    if isinstance(value, list | tuple):
        return all(map(_is_constant, value))
    if isinstance(value, dict):
        return all(map(_is_constant, (*value, *value.values())))
    if isinstance(value, FunctionType | ModuleType | type):
        return False
    return isinstance(value, bool | int | float | str | bytes | np.generic | np.ndarray)


def _written(value: Any) -> str:
    """Format as Python source, or return an empty string if that is long."""
    if isinstance(value, np.generic):
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else ""
