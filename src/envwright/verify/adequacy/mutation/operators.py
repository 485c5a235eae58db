"""Mutation operators: small bugs that people and models make, as edits of a source.

Each operator yields `Edit`s for the kind of node it is registered for. An edit names the text to
put in place of one span, and is written so that what surrounds it keeps its meaning.

| operator | edits |
|---|---|
| arithmetic | `+` `-`; `*` `/`; `//` `%`; `<<` `>>`; also in `+=`; `a ** b` to `a * b` |
| sign | unary minus dropped; minus put before a product, a quotient or a function of one number |
| compare | the boundary (`<` `<=`) and the negation (`<` `>=`) |
| logic | `&` `|`; `^` to `|`; `and` `or`; `~` and `not` dropped |
| constant | floats times 1.1 and negated; integers one up, one down; booleans flipped |
| index | integers within a subscript one up, one down |
| choice | `where`, `select`, `cond`: branches swapped, always the first, always the second |
| function | `min` `max`, `sin` `cos`, `floor` `ceil`, ...; `abs`, `sqrt`, `clip`, ... dropped |
| arguments | two neighbours swapped, unless their order is known not to matter |
| delete | an augmented assignment, or an assignment to what already had a value |
| field | a field of `replace(state, x=...)` or `State(x=...)` keeps its old value |
| return | two neighbours of the same kind in a returned tuple swapped |
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from envwright.verify.adequacy.mutation.spans import Source, Span


@dataclass(frozen=True)
class Edit:
    """A replacement of one span of text."""

    operator: str
    span: Span
    text: str
    change: str  # in short: "<-><="


@dataclass(frozen=True)
class Surroundings:
    """The context that an operator may need beyond the node itself."""

    source: Source
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None  # innermost
    in_subscript: bool
    rebindings: frozenset[ast.AST]  # assignments to what already had a value
    modules: frozenset[str]  # names of imported modules

    def replace(self, node: ast.AST, *parts: tuple[Span, str]) -> tuple[Span, str]:
        """Return the span of a node, and its text with some spans inside replaced."""
        whole = self.source.span(node)
        at, text = whole.start, ""
        for span, new in sorted(parts, key=lambda part: part[0].start):
            text += self.source.text[at : span.start] + new
            at = span.end
        return whole, text + self.source.text[at : whole.end]


Operator = Callable[..., Iterator[Edit]]
OPERATORS: dict[type[ast.AST], list[Operator]] = {}


def operator(*kinds: type[ast.AST]) -> Callable[[Operator], Operator]:
    """Register an operator for kinds of nodes."""

    def register(function: Operator) -> Operator:
        for kind in kinds:
            OPERATORS.setdefault(kind, []).append(function)
        return function

    return register


_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "%", "%": "//", "<<": ">>", ">>": "<<"}
_LOGIC = {"&": "|", "|": "&", "^": "|"}
COMPARE = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}


@operator(ast.BinOp)
def binary(node: ast.BinOp, at: Surroundings) -> Iterator[Edit]:
    source, token = at.source, at.source.operator(node.left, node.right)
    sign = source.text[token.start : token.end]
    if any(map(_is_sequence_or_none, (node.left, node.right))):
        return
    if sign in _ARITHMETIC:
        new = _ARITHMETIC[sign]
        yield Edit("arithmetic", *at.replace(node, (token, new)), f"{sign}->{new}")
    elif sign in _LOGIC or sign == "**":
        name, new = ("logic", _LOGIC[sign]) if sign in _LOGIC else ("arithmetic", "*")
        yield Edit(name, *_regrouped(node, [node.left, node.right], new, at), f"{sign}->{new}")
    if sign in ("*", "/") and not sign_is_told_elsewhere(node, at):
        yield Edit("sign", source.span(node), f"-({source.of(node)})", f"{sign}->-({sign})")


def _regrouped(
    node: ast.AST, operands: list[ast.expr], sign: str, at: Surroundings
) -> tuple[Span, str]:
    """Replace an operator by one of another precedence, with parentheses that keep the tree."""
    loose = (ast.BoolOp, ast.IfExp, ast.Lambda)
    if isinstance(node, ast.BinOp):
        loose += (ast.BinOp, ast.Compare)
    source, parts = at.source, []
    for left, right in pairwise(operands):
        parts.append((source.operator(left, right), sign))
    for operand in operands:
        parts.append((source.span(operand), source.guarded(operand, loose)))
    span, text = at.replace(node, *parts)
    return span, f"({text})" if source.binds_tightly(node) else text


def _is_sequence_or_none(node: ast.AST) -> bool:
    """Return whether an operand of `+` or `|` is not a number: text, lists, `X | None`."""
    if isinstance(node, ast.BinOp):
        return _is_sequence_or_none(node.left) or _is_sequence_or_none(node.right)
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, str | bytes)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.Set)


def sign_is_told_elsewhere(node: ast.AST, at: Surroundings) -> bool:
    """Return whether a minus here would repeat another mutant or bind to more than the node.

    Within a product one sign is enough; right of `+` or `-` it equals the other operator.
    """
    parent = at.source.parents[node]
    if isinstance(parent, ast.BinOp):
        return not (isinstance(parent.op, ast.Add | ast.Sub) and parent.left is node)
    is_head = isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
    return is_head or isinstance(parent, ast.UnaryOp)


@operator(ast.AugAssign)
def augmented(node: ast.AugAssign, at: Surroundings) -> Iterator[Edit]:
    token = at.source.operator(node.target, node.value)
    sign = at.source.text[token.start : token.end - 1]
    for name, table in (("arithmetic", _ARITHMETIC), ("logic", _LOGIC)):
        if sign in table and not _is_sequence_or_none(node.value):
            new = f"{table[sign]}="
            yield Edit(name, *at.replace(node, (token, new)), f"{sign}=->{new}")
    yield Edit("delete", at.source.span(node), "pass", "drop")


@operator(ast.Assign, ast.AnnAssign)
def assignment(node: ast.Assign | ast.AnnAssign, at: Surroundings) -> Iterator[Edit]:
    if node in at.rebindings:
        yield Edit("delete", at.source.span(node), "pass", "drop")


@operator(ast.Compare)
def comparison(node: ast.Compare, at: Surroundings) -> Iterator[Edit]:
    operands = [node.left, *node.comparators]
    for left, right in pairwise(operands):
        token = at.source.operator(left, right)
        sign = " ".join(at.source.text[token.start : token.end].split())
        for new in COMPARE.get(sign, ()):
            yield Edit("compare", *at.replace(node, (token, new)), f"{sign}->{new}")


@operator(ast.BoolOp)
def connective(node: ast.BoolOp, at: Surroundings) -> Iterator[Edit]:
    sign, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    yield Edit("logic", *_regrouped(node, node.values, new, at), f"{sign}->{new}")


@operator(ast.UnaryOp)
def unary(node: ast.UnaryOp, at: Surroundings) -> Iterator[Edit]:
    if isinstance(node.op, ast.UAdd):
        return
    span = at.source.span(node)
    sign = {ast.USub: "-", ast.Invert: "~", ast.Not: "not"}[type(node.op)]
    rest = at.source.text[span.start + len(sign) : span.end].lstrip()
    name = "sign" if sign == "-" else "logic"
    yield Edit(name, span, rest if "\n" not in rest else f"({rest})", f"{sign}->drop")


@operator(ast.Constant)
def constant(node: ast.Constant, at: Surroundings) -> Iterator[Edit]:
    text = at.source.of(node)
    others = _other_numbers(node.value, text)
    if isinstance(node.value, float) and node.value and not sign_is_told_elsewhere(node, at):
        others += [f"-{text}"] if others else []
    for new in others:
        shown = f"({new})" if new.startswith("-") and at.source.binds_tightly(node) else new
        name = "index" if at.in_subscript and type(node.value) is int else "constant"
        yield Edit(name, at.source.span(node), shown, f"{text}->{new}")


def _other_numbers(value: object, text: str) -> list[str]:
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        others = [value + 1, value - 1] if value else [1]
        return [f"{other:#x}" if text[:2] in ("0x", "0X") else str(other) for other in others]
    if isinstance(value, float) and math.isfinite(value * 1.1):
        return [float_text(value * 1.1) if value else "1.0"]
    return []


def float_text(value: float) -> str:
    """Format a float as source text, rounded to twelve digits."""
    text = f"{value:.12g}"
    return text if any(mark in text for mark in ".e") else f"{text}.0"


@operator(ast.Return)
def returned(node: ast.Return, at: Surroundings) -> Iterator[Edit]:
    if isinstance(node.value, ast.Tuple):
        elements = node.value.elts
        for position, (a, b) in enumerate(pairwise(elements)):
            if type(a) is type(b):
                change = f"swap{position},{position + 1}"
                yield Edit("return", *swapped(node, a, b, at), change)


def swapped(node: ast.AST, a: ast.AST, b: ast.AST, at: Surroundings) -> tuple[Span, str]:
    source = at.source
    return at.replace(node, (source.span(a), source.of(b)), (source.span(b), source.of(a)))
