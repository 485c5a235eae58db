"""Name a mutant by the function and the expression that it changes.

A proof about a mutant refers to it by this name, so the name must not depend on the lines above.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from envwright.verify.adequacy.mutation.spans import Source

LONGEST = 80  # characters of an expression in a name


def name_of(file: str, function: str, operator: str, change: str, expression: str) -> str:
    """Name a mutant: `rules.py:bounce:arithmetic:*->/:ball.vx * speed`, or without a function."""
    text = " ".join(expression.split())
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return ":".join(part for part in (file, function, operator, change, text) if part)


def numbered(names: Sequence[str]) -> list[str]:
    """Number names that occur more than once: `… #1`, `… #2`."""
    total, seen, found = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        found.append(name if total[name] == 1 else f"{name} #{seen[name]}")
    return found


def expression_around(node: ast.AST, source: Source) -> str:
    """Return the code of a node; for a constant or name, of the smallest expression around it."""
    if isinstance(node, ast.Constant | ast.Name):
        parent = source.parents[node]
        while isinstance(parent, ast.UnaryOp):
            node, parent = parent, source.parents[parent]
        if isinstance(parent, ast.Dict) and node in parent.values:
            key = parent.keys[parent.values.index(node)]  # type: ignore[arg-type]
            return f"{ast.unparse(key) if key else '**'}: {ast.unparse(node)}"
        if not hasattr(parent, "body") or isinstance(parent, ast.expr):
            node = parent
    return ast.unparse(node)
