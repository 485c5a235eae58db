"""Break long lines as a formatter would."""

from __future__ import annotations

LIMIT = 100
OPENING, CLOSING = "([{", ")]}"
# Where to break an expression: the weakest operators first.
OPERATORS = ((" | ",), (" & ",), (" + ", " - "), (" * ", " / ", " // ", " % "))


def fitted(line: str) -> list[str]:
    """Break a line into lines that fit."""
    if len(line) <= LIMIT or line.lstrip().startswith(("#", '"""')):
        return [line]
    pad = line[: len(line) - len(line.lstrip())]
    body = line.strip()
    left, equals, right = body.partition(" = ")
    if equals and "(" not in left and _is_sum(right):
        return _enclosed(pad, f"{left} =", right)
    if body.startswith("return "):
        rest = body.removeprefix("return ")
        parts = _split(rest, (", ",))
        if len(parts) > 1:
            return _listed(pad, "return (", parts, ")", rest)
        if _is_sum(rest):
            return _enclosed(pad, "return", rest)
    elif not equals and _is_sum(body):
        return _broken(pad, body)
    span = _breakable(len(pad), body)
    if span is not None:
        start, end = span
        inside = body[start + 1 : end]
        parts = _split(inside, (", ",))
        if len(parts) > 1:
            return _listed(pad, body[: start + 1], parts, body[end:], inside)
        return [pad + body[: start + 1], *_broken(pad + "    ", inside), pad + body[end:]]
    return [line]


def _enclosed(pad: str, head: str, expression: str) -> list[str]:
    """Put a sum in parentheses, reusing those around one of two operands."""
    inner = pad + "    "
    parts = next(p for p in (_split(expression, o) for o in OPERATORS) if len(p) > 1)
    if len(parts) == 2:
        whole = f"{head} {expression}"
        start, end = _last_group(whole) or (0, 0)
        if end == len(whole) - 1 and len(pad) + start < LIMIT and start > len(head + parts[0]):
            return [
                pad + whole[: start + 1],
                *_items(inner, whole[start + 1 : -1]),
                pad + whole[-1],
            ]
        first, rest = parts
        bracketed = first.startswith("(") and _last_group(first) == (0, len(first) - 1)
        if bracketed and len(f"{pad}) {rest}") <= LIMIT:
            return [f"{pad}{head} (", *_broken(inner, first[1:-1]), f"{pad}) {rest}"]
    return [f"{pad}{head} (", *_broken(inner, expression), f"{pad})"]


def _items(pad: str, inside: str) -> list[str]:
    """Put bracketed items on lines of their own."""
    parts = _split(inside, (", ",))
    if len(parts) > 1:
        return _listed(pad[:-4], "", parts, "", inside)[1:-1]
    return _broken(pad, inside)


def _is_sum(expression: str) -> bool:
    """Return whether an operator is outside all brackets."""
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
    """Break a parenthesised expression at its weakest operators."""
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
    """Split at the outermost marks. An operator begins its part; a comma ends it."""
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


def _groups(text: str) -> list[tuple[int, int]]:
    """Return the outermost brackets, in order."""
    depth, start, found = 0, -1, []
    for place, sign in enumerate(text):
        if sign in OPENING:
            start = place if depth == 0 else start
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth == 0:
                found.append((start, place))
    return found


def _last_group(text: str) -> tuple[int, int] | None:
    return next(reversed(_groups(text)), None)


def _breakable(indent: int, text: str) -> tuple[int, int] | None:
    """Return the last brackets that can open on the first line and close on the last."""
    for start, end in reversed(_groups(text)):
        fits = indent + start < LIMIT and indent + len(text) - end <= LIMIT
        if fits and end > start + 1:
            return start, end
    return None
