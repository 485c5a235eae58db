"""Mutation operators for Rust: small bugs as edits of a source that rustfmt has formatted.

| operator | edits |
|---|---|
| arithmetic | `+` `-`; `*` `/`; `%` to `/`; `<<` `>>`; also in `+=` |
| sign | unary minus dropped |
| compare | the boundary (`<` `<=`) and the negation (`<` `>=`) |
| logic | `&` `|`; `^` to `|`; `&&` `||`; `!` dropped; also in `|=` |
| constant | floats times 1.1 and negated; integers one up, one down; booleans flipped |
| range | `..` `..=` |
| choice | `if`: always, never |
| function | `min` `max`, `any` `all`, `wrapping_add` `_sub`, ...; `abs`, ... dropped |
| arguments | two neighbours swapped |
| delete | an assignment to what already had a value, or a call for its effect |

Mutants that do not compile are counted separately, since nobody could ship them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, permutations

from envwright.verify.adequacy.mutation.operators import COMPARE, Edit, float_text
from envwright.verify.adequacy.mutation.rust.tokens import RustSource, Token
from envwright.verify.adequacy.mutation.spans import Span

_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<"}
_LOGIC = {"&": "|", "|": "&", "^": "|", "&&": "||", "||": "&&"}
_PAIRS = (
    "min max, any all, floor ceil, sin cos, is_some is_none, is_ok is_err, "
    "wrapping_add wrapping_sub, saturating_add saturating_sub, checked_add checked_sub, "
    "rotate_left rotate_right"
)
_SWAPPED = {a: b for pair in _PAIRS.split(", ") for a, b in permutations(pair.split())}
_DROPPED = {"abs", "sqrt", "floor", "ceil", "round", "trunc", "signum", "fract", "recip", "rev"}
_NO_OPERAND = {
    *("return", "in", "if", "else", "match", "while", "break", "let", "mut", "ref", "move", "as"),
}
_NO_CALL = _NO_OPERAND | {"fn", "for", "loop", "Some", "Ok", "Err"}

RustOperator = Callable[[RustSource, int], Iterator[Edit]]
RUST_OPERATORS: list[RustOperator] = []


def _operator(function: RustOperator) -> RustOperator:
    RUST_OPERATORS.append(function)
    return function


def _instead(name: str, token: Token, new: str) -> Edit:
    return Edit(name, token.span, new, f"{token.text}->{new}")


@_operator
def between_operands(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    if token.kind != "sign" or not source.is_between_operands(i) or _in_pattern(source, i):
        return
    sign = token.text
    if sign in _ARITHMETIC:
        yield _instead("arithmetic", token, _ARITHMETIC[sign])
    if sign in _LOGIC:
        yield _instead("logic", token, _LOGIC[sign])
    for new in COMPARE.get(sign, ()):
        yield _instead("compare", token, new)
    if sign.endswith("=") and sign[:-1] in _ARITHMETIC:
        yield _instead("arithmetic", token, f"{_ARITHMETIC[sign[:-1]]}=")
    if sign.endswith("=") and sign[:-1] in ("&", "|", "^"):
        yield _instead("logic", token, f"{_LOGIC[sign[:-1]]}=")


def _in_pattern(source: RustSource, i: int) -> bool:
    """`A | B => …` are alternatives."""
    return source.is_(i, "|") and source.is_(source.until(i, "=>", ",", ";", "{"), "=>")


@_operator
def unary(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    follows = source.tokens[i + 1].start if i + 1 < len(source.tokens) else -1
    if token.text not in ("-", "!") or follows != token.end or _ends_operand(source, i - 1):
        return
    name = "sign" if token.text == "-" else "logic"
    yield Edit(name, token.span, "", f"{token.text}->drop")


def _ends_operand(source: RustSource, i: int) -> bool:
    """Return whether an operand ends here: a sign after it is not unary (or marks a macro)."""
    if i < 0:
        return False
    token = source.tokens[i]
    if token.kind == "sign":
        return token.text in (")", "]", "?")
    return token.text not in _NO_OPERAND


@_operator
def constant(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    if token.text in ("true", "false"):
        yield _instead("constant", token, "false" if token.text == "true" else "true")
    if token.kind != "number" or source.is_(i - 1, "."):  # `pair.0` is a field
        return
    value, suffix = _parsed(token.text)
    if value is None:
        return
    if isinstance(value, int):
        for new in (value + 1, value - 1) if value else (1,):
            text = f"{new:#x}" if token.text.startswith("0x") else str(new)
            yield _instead("constant", token, text + suffix)
    elif math.isfinite(value * 1.1):
        yield _instead("constant", token, float_text(value * 1.1 if value else 1.0) + suffix)
        if value and not source.is_(i - 1, *_ARITHMETIC):  # a sign there says so already
            yield _instead("constant", token, f"-{token.text}")


def _parsed(text: str) -> tuple[int | float | None, str]:
    body, suffix = re.fullmatch(
        r"(0x[0-9a-fA-F_]+?|.*?)((?:[iuf](?:8|16|32|64|128|size))?)", text
    ).groups()  # type: ignore[union-attr]
    body = body.replace("_", "")
    if body[:2] in ("0x", "0b", "0o"):
        return int(body, 0), suffix
    if suffix.startswith("f") or any(mark in body for mark in ".eE"):
        return float(body), suffix
    return int(body), suffix


@_operator
def ranges(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    if token.text == "..=":
        yield _instead("range", token, "..")
    if token.text == ".." and not source.is_(i - 1, ",", "{", "("):  # those are "the rest"
        if not source.is_(i + 1, "]", ")", "}", "{", ",", ";"):
            yield _instead("range", token, "..=")


@_operator
def choice(source: RustSource, i: int) -> Iterator[Edit]:
    if not source.is_(i, "if") or source.is_(i + 1, "let"):
        return
    end = source.until(i + 1, "{", "=>")
    span = Span(source.tokens[i + 1].start, source.tokens[end - 1].end)
    yield Edit("choice", span, "true", "if->always")
    yield Edit("choice", span, "false", "if->never")


@_operator
def function(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    if token.kind != "name" or not source.is_(i + 1, "(") or source.is_(i - 1, "fn"):
        return
    if token.text in _SWAPPED:
        yield _instead("function", token, _SWAPPED[token.text])
    if token.text in _DROPPED and source.is_(i - 1, ".") and source.closing[i + 1] == i + 2:
        span = Span(source.tokens[i - 1].start, source.tokens[i + 2].end)
        yield Edit("function", span, "", f"{token.text}->drop")


@_operator
def arguments(source: RustSource, i: int) -> Iterator[Edit]:
    token = source.tokens[i]
    is_call = token.kind == "name" and source.is_(i + 1, "(") and token.text not in _NO_CALL
    if not is_call or source.is_(i - 1, "fn"):
        return
    given = _arguments(source, i + 1)
    for position, ((a, b), (c, d)) in enumerate(pairwise(given)):
        first, second = source.of(a, b), source.of(c, d)
        if first == second:
            continue
        between = source.text[source.tokens[b].end : source.tokens[c].start]
        span = Span(source.tokens[a].start, source.tokens[d].end)
        change = f"{token.text}:swap{position},{position + 1}"
        yield Edit("arguments", span, second + between + first, change)


def _arguments(source: RustSource, opening: int) -> list[tuple[int, int]]:
    """Return the first and last token of each argument."""
    end, found, at = source.closing[opening], [], opening + 1
    while at < end:
        comma = min(_comma(source, at, end), end)
        found.append((at, comma - 1))
        at = comma + 1
    return found


def _comma(source: RustSource, at: int, end: int) -> int:
    """Return the next comma between arguments, past those of a closure's parameters."""
    comma = source.until(at, ",", "|")
    while comma < end and source.is_(comma, "|") and not source.is_between_operands(comma):
        comma = source.until(source.until(comma + 1, "|") + 1, ",", "|")
    return source.until(comma, ",")


@_operator
def delete(source: RustSource, i: int) -> Iterator[Edit]:
    """Delete a whole statement that begins here."""
    token = source.tokens[i]
    begins = source.is_(i - 1, ";", "{", "}") and (token.kind == "name" or token.text == "*")
    if not begins or token.text in _NO_CALL | {"const", "static", "unsafe", "impl", "pub"}:
        return
    end = source.until(i, ";", "{", ",")
    if not source.is_(end, ";") or any(source.is_(at, "!") for at in range(i, i + 2)):
        return
    stops = ("=", *(f"{sign}=" for sign in (*_ARITHMETIC, "&", "|", "^")), ";")
    assigns = source.until(i, *stops) < end
    if assigns or source.is_(end - 1, ")"):
        span = Span(token.start, source.tokens[end].end)
        name = re.sub(r"\s+", "", source.of(i, source.until(i, "(", *stops) - 1))
        yield Edit("delete", span, "", name)
