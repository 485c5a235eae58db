"""A Python module as text and tree at once.

Every node has its span, so that an edit changes only its own characters and keeps comments and
layout.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
# Nodes that bind less tightly than a name, a call or a bracket does.
_LOOSE = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Lambda,
    ast.NamedExpr,
    ast.UnaryOp,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
)
_TIGHT_PARENTS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Starred, ast.Await)


@dataclass(frozen=True)
class Span:
    """Characters start <= i < end of a source."""

    start: int
    end: int


class Source:
    """A parsed module with the span of every node and every operator."""

    def __init__(self, text: str, filename: str):
        self.text = text
        self.tree = ast.parse(text, filename)
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def span(self, node: Any) -> Span:
        """Return the span of a node, without parentheses around it."""
        return Span(
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno, node.end_col_offset),
        )

    def of(self, node: ast.AST) -> str:
        span = self.span(node)
        return self.text[span.start : span.end]

    def line_span(self, first: int, last: int) -> Span:
        """Return the span of whole lines, counted from 1."""
        return Span(self._starts[first - 1], min(self._starts[last], len(self.text)))

    def operator(self, left: ast.AST, right: ast.AST) -> Span:
        """Return the span of the operator between two operands (`not in` is one operator)."""
        start, end = self.span(left).end, self.span(right).start
        first, last = (bisect_left(self._token_starts, at) for at in (start, end))
        spans = [span for span, text in self._tokens[first:last] if text not in "()"]
        return Span(spans[0].start, spans[-1].end)

    def in_parentheses(self, node: ast.AST) -> bool:
        span = self.span(node)
        before = bisect_left(self._token_starts, span.start) - 1
        after = bisect_left(self._token_starts, span.end)
        if before < 0 or after == len(self._tokens):
            return False
        return (self._tokens[before][1], self._tokens[after][1]) == ("(", ")")

    def guarded(self, node: ast.AST, loose: tuple[type[ast.AST], ...] = _LOOSE) -> str:
        """Return the text of a node, in parentheses if it binds loosely and has none yet."""
        text = self.of(node)
        return f"({text})" if isinstance(node, loose) and not self.in_parentheses(node) else text

    def in_place_of(self, node: ast.AST, replacement: ast.AST) -> str:
        """Return the text of a node such that it keeps its meaning in place of another one."""
        text = self.of(replacement)
        fits = not isinstance(replacement, _LOOSE) or not self.binds_tightly(node)
        return text if fits and "\n" not in text else f"({text})"

    def binds_tightly(self, node: ast.AST) -> bool:
        """Return whether the surroundings of a node would split a looser expression."""
        parent = self.parents[node]
        holds = isinstance(parent, _TIGHT_PARENTS) or (
            isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
        )
        return holds and not self.in_parentheses(node)

    def _offset(self, line: int, byte_column: int) -> int:
        text = self._lines[line - 1]
        column = byte_column if text.isascii() else len(text.encode()[:byte_column].decode())
        return self._at(line, column)

    @cached_property
    def _tokens(self) -> list[tuple[Span, str]]:
        return [
            (Span(self._at(*token.start), self._at(*token.end)), token.string)
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
            if token.type not in _LAYOUT
        ]

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    @cached_property
    def _token_starts(self) -> list[int]:
        return [span.start for span, _ in self._tokens]
