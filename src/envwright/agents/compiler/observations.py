"""The observation as a function of the state, from what the reference returns."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from typing import Any

from envwright.agents.compiler.interpreter import Machine
from envwright.agents.compiler.interpreter.base import Frame
from envwright.agents.compiler.interpreter.source import Source, source_of
from envwright.agents.compiler.trouble import Unsupported


def expressions(cls: type) -> Iterator[tuple[types.FunctionType, Source, ast.expr]]:
    """Yield what step and reset return first, if it only needs `self`."""
    for name in ("step", "reset"):
        for owner in cls.__mro__:
            function = owner.__dict__.get(name)
            if not isinstance(function, types.FunctionType):
                continue
            try:
                source = source_of(function)
            except Unsupported:
                continue
            for found in _returned(source.node):
                if _needs_only_self(found, function):
                    yield function, source, found


def evaluated(machine: Machine, function: Any, source: Source, expression: ast.expr) -> Any:
    """Evaluate such an expression in the machine's world."""
    frame = Frame(source, function.__globals__, {}, None, machine.subject)
    machine.frames.append(frame)
    try:
        return machine.evaluate(expression, {"self": machine.subject})
    finally:
        machine.frames.pop()


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield the first parts of returned tuples, with names replaced by their last value."""
    assigned: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                assigned[target.id] = node.value
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            first = node.value.elts[0]
            if isinstance(first, ast.Name):
                first = assigned.get(first.id, first)
            yield first


def _needs_only_self(expression: ast.expr, function: types.FunctionType) -> bool:
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    known = {"self", *function.__globals__, *vars(builtins)}
    makes = (ast.comprehension, ast.Lambda)
    inner = any(isinstance(n, makes) for n in ast.walk(expression))
    return "self" in names and names <= known and not inner
