"""Find assignments to variables that already have a value: the program runs without them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_MAKES_AN_OBJECT = {"__init__", "__post_init__", "__new__", "setup"}


def rebindings(tree: ast.Module) -> frozenset[ast.AST]:
    """Return the assignments in functions whose every target is certainly bound before."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
            _block(node.body, parameters, node.name not in _MAKES_AN_OBJECT, found)
    return frozenset(found)


def _block(body: list[ast.stmt], bound: set[str], has_fields: bool, found: set) -> set[str]:
    """Return the names that are certainly bound after a block; add its rebindings to `found`."""
    bound = set(bound)
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if all(_has_value(target, bound, has_fields) for target in targets):
                found.add(statement)
            bound |= _names(targets)
        elif isinstance(statement, ast.If):
            then = _block(statement.body, bound, has_fields, found)
            bound = then & _block(statement.orelse, bound, has_fields, found)
        elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
            targets = [] if isinstance(statement, ast.While) else [statement.target]
            _block(statement.body, bound | _names(targets), has_fields, found)
            _block(statement.orelse, bound, has_fields, found)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            given = [item.optional_vars for item in statement.items if item.optional_vars]
            bound = _block(statement.body, bound | _names(given), has_fields, found)
        elif isinstance(statement, ast.Try):
            for part in (statement.body, *(handler.body for handler in statement.handlers)):
                _block(part, bound, has_fields, found)
            bound = _block(statement.finalbody, bound, has_fields, found)
    return bound


def _has_value(target: ast.expr, bound: set[str], has_fields: bool) -> bool:
    if isinstance(target, ast.Name):
        return target.id in bound
    if isinstance(target, ast.Tuple | ast.List):
        return all(_has_value(part, bound, has_fields) for part in target.elts)
    return isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and has_fields)


def _names(targets: Iterable[ast.expr]) -> set[str]:
    nodes = (node for target in targets for node in ast.walk(target))
    return {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
