"""Find the attributes that a class writes while it is stepped, in its source.

An attribute that changes rarely may not change while it is watched.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator

import gymnasium

NOT_STEPS = ("__init__", "reset", "render", "close", "seed")


def written_in_steps(env_class: type) -> set[str]:
    """Return the attributes of `self` that methods other than constructor and reset assign."""
    names: set[str] = set()
    for base in env_class.__mro__:
        if base in (gymnasium.Env, object) or base.__module__ in ("typing", "abc"):
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue  # no source: rely on the changes that were seen
        for method in _methods(tree):
            if method.name not in NOT_STEPS and "render" not in method.name:
                names |= {name for node in ast.walk(method) for name in _targets(node)}
    return names


def _methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from (inner for inner in node.body if isinstance(inner, ast.FunctionDef))


def _targets(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _of_self(target)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        yield from _of_self(node.target)


def _of_self(target: ast.AST) -> Iterator[str]:
    """Return the attributes in `self.x`, `self.x[i]`, and tuples of these."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _of_self(part)
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from _of_self(target.value)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        if target.value.id == "self":
            yield target.attr
