"""Long lines in pieces, as a formatter would have them."""

from __future__ import annotations

LIMIT = 100
OPENING, CLOSING = "([{", ")]}"
# Where an expression may be broken, those that bind least first.
OPERATORS = ((" | ",), (" & ",), (" + ", " - "), (" * ", " / ", " // ", " % "))


def fitted(line: str) -> list[str]:
    """A line as lines that fit."""
    if len(line) <= LIMIT or line.lstrip().startswith("#"):
        return [line]
    pad = line[: len(line) - len(line.lstrip())]
    body = line.strip()
    left, equals, right = body.partition(" = ")
    if equals and "(" not in left and _is_sum(right):
        return [f"{pad}{left} = (", *_broken(pad + "    ", right), f"{pad})"]
    if body.startswith("return ") and _is_sum(body):
        rest = body.removeprefix("return ")
        return [f"{pad}return (", *_broken(pad + "    ", rest), f"{pad})"]
    span = _last_group(body)
    if span is not None and _tail_is_short(body[span[1] :]):
        start, end = span
        inside = body[start + 1 : end]
        parts = _split(inside, (", ",))
        if len(parts) > 1:
            return _listed(pad, body[: start + 1], parts, body[end:], inside)
        return [
            pad + body[: start + 1],
            *_broken(pad + "    ", inside),
            pad + body[end:],
        ]
    return [line]


def _is_sum(expression: str) -> bool:
    """Whether an operator stands outside of all brackets."""
    return any(len(_split(expression, operators)) > 1 for operators in OPERATORS)


def _listed(pad: str, head: str, parts: list[str], tail: str, inside: str) -> list[str]:
    inner = pad + "    "
    if len(inner + inside) <= LIMIT:
        return [pad + head, inner + inside, pad + tail]
    lines = [pad + head]
    for part in parts:
        lines += fitted(f"{inner}{part.rstrip(',')},")
    return [*lines, pad + tail]


def _broken(pad: str, expression: str) -> list[str]:
    """An expression inside of parentheses, broken at the operators that bind least."""
    if len(pad + expression) <= LIMIT:
        return [pad + expression]
    for operators in OPERATORS:
        parts = _split(expression, operators)
        if len(parts) > 1:
            lines: list[str] = []
            for part in parts:
                lines += fitted(pad + part)
            return lines
    return fitted(pad + expression) if _last_group(expression) else [pad + expression]


def _split(text: str, marks: tuple[str, ...]) -> list[str]:
    """At the outermost marks; an operator begins the next part, a comma ends its own."""
    parts, depth, begin, place = [], 0, 0, 0
    while place < len(text):
        depth += text[place] in OPENING
        depth -= text[place] in CLOSING
        mark = next((m for m in marks if text.startswith(m, place)), None)
        if depth == 0 and mark:
            if mark == ", ":
                parts.append(text[begin : place + 1])
                begin = place + 2
            else:
                parts.append(text[begin:place])
                begin = place + 1
            place += len(mark)
            continue
        place += 1
    parts.append(text[begin:])
    return [part for part in parts if part.strip()]


def _last_group(text: str) -> tuple[int, int] | None:
    """The outermost brackets that close last."""
    depth, start, found = 0, -1, None
    for place, sign in enumerate(text):
        if sign in OPENING:
            if depth == 0:
                start = place
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth == 0:
                found = (start, place)
    return found


def _tail_is_short(tail: str) -> bool:
    return tail in (")", "]", "}", "),", "],", "},", "):", "]:", "),)") or len(tail) <= 2
