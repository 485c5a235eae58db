"""Split a Rust source into tokens, and find those that may be changed.

It covers the language as rustfmt formats it: a sign with space on both sides stands between two
operands, so that `a < b` differs from `Vec<T>` and `a & b` from `&a`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from envwright.verify.adequacy.mutation.spans import Span

Kind = Literal["name", "number", "text", "lifetime", "sign"]

_SIGNS = (  # the longer ones first
    *("<<=", ">>=", "..=", "..."),
    *("->", "=>", "::", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"),
    *("+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="),
)
_SPACE = re.compile(r"\s+|//[^\n]*")
_NAME = re.compile(r"(?:r#)?[A-Za-z_]\w*")
# `1.max(2)`, `1..2` and `pair.0.1` hold no float.
_NUMBER = re.compile(
    r"0[xob][0-9a-fA-F_]+(?:[iu](?:8|16|32|64|128|size))?"
    r"|[0-9][0-9_]*(?:\.(?![.A-Za-z_])[0-9_]*)?(?:[eE][+-]?[0-9_]+)?(?:[iuf](?:8|16|32|64|128|size))?"
)
_WHOLE = re.compile(r"[0-9]+")
_TEXT = re.compile(r'(?:b|c)?"(?:\\.|[^"\\])*"', re.DOTALL)
_RAW = re.compile(r'(?:b|c)?r(#*)".*?"\1', re.DOTALL)
_CHARACTER = re.compile(r"b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^'\\\n])'")
_LIFETIME = re.compile(r"'[A-Za-z_]\w*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    """A piece of a source that is neither space nor comment."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class RustSource:
    """Tokens of a source, the brackets that belong together, and the functions they are in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.closing = _pairs(self.tokens)
        self._opening = {closing: opening for opening, closing in self.closing.items()}
        self._around = _around(self.closing, len(self.tokens))
        self._starts = [token.start for token in self.tokens]
        self.functions = [""] * len(self.tokens)
        self.may_change = [True] * len(self.tokens)
        _Outline(self).mark(0, len(self.tokens), "")

    def is_between_operands(self, i: int) -> bool:
        """Return whether a sign has space on both sides, as rustfmt formats binary operators."""
        token = self.tokens[i]
        around = self.text[token.start - 1 : token.start] + self.text[token.end : token.end + 1]
        return len(around) == 2 and around.isspace()

    def index(self, offset: int) -> int:
        """Return the first token at or after an offset."""
        return bisect_left(self._starts, offset)

    def of(self, first: int, last: int) -> str:
        """Return the text from one token to another, both included."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def is_(self, i: int, *texts: str) -> bool:
        """Return whether there is a token, and it is one of these."""
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def statement(self, i: int) -> str:
        """Return the statement, arm or field around a token, on one line."""
        while (opening := self._around[i]) is not None and not self.is_(opening, "{"):
            i = opening  # the opening of the call or list around the token
        first, last = i, self.closing.get(i, i)
        ends = (";", ",", "{", "}")
        while first > 0 and not self.is_(first - 1, *ends):
            first = self._opening.get(first - 1, first - 1)
        while last + 1 < len(self.tokens) and not self.is_(last + 1, *ends):
            last = self.closing.get(last + 1, last + 1)
        return "".join(self._spaced(at, at == first) for at in range(first, last + 1))

    def _spaced(self, i: int, is_first: bool) -> str:
        """Return a token with the space before it, however rustfmt breaks the lines."""
        if self.is_(i, ",") and self.is_(i + 1, ")", "]"):
            return ""
        token, before = self.tokens[i], self.tokens[i - 1]
        tight = is_first or before.end == token.start
        tight = tight or self.is_(i, ")", "]", ".") or self.is_(i - 1, "(", "[")
        return token.text if tight else f" {token.text}"

    def until(self, i: int, *texts: str) -> int:
        """Return the next of these tokens from `i` on outside of brackets; else the end."""
        while i < len(self.tokens) and self.tokens[i].text not in texts:
            if self.tokens[i].text in (")", "]", "}"):
                return i
            i = self.closing.get(i, i) + 1
        return i


def _tokens(text: str) -> Iterator[Token]:
    at, after_dot = 0, False
    while at < len(text):
        if text.startswith("/*", at):
            at = _comment_end(text, at)
            continue
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        token = _token(text, at, after_dot)
        yield token
        at, after_dot = token.end, token.text == "."


def _token(text: str, at: int, after_dot: bool) -> Token:
    for pattern in (_RAW, _TEXT, _CHARACTER):
        if found := pattern.match(text, at):
            return Token("text", found.group(), at)
    if found := _LIFETIME.match(text, at):
        return Token("lifetime", found.group(), at)
    if found := (_WHOLE if after_dot else _NUMBER).match(text, at):
        return Token("number", found.group(), at)
    if found := _NAME.match(text, at):
        return Token("name", found.group(), at)
    sign = next((sign for sign in _SIGNS if text.startswith(sign, at)), text[at])
    return Token("sign", sign, at)


def _comment_end(text: str, at: int) -> int:
    """Return where a block comment ends; they nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return at + mark.end()
    return len(text)


def _pairs(tokens: list[Token]) -> dict[int, int]:
    """Return where each opening bracket is closed."""
    found, open_ = {}, []
    for i, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _CLOSING:
            open_.append(i)
        elif token.text in _CLOSING.values() and open_:
            found[open_.pop()] = i
    return found | dict.fromkeys(open_, len(tokens) - 1)


def _around(closing: dict[int, int], count: int) -> list[int | None]:
    """Return the innermost opening bracket around each token."""
    found: list[int | None] = [None] * count
    for opening in sorted(closing):  # inner ones later
        found[opening + 1 : closing[opening]] = [opening] * (closing[opening] - opening - 1)
    return found


# Macros whose arguments are for people.
_TELL_PEOPLE = {
    *("assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"),
    *("eprintln", "eprint", "println", "print", "format", "format_args", "write", "writeln"),
    *("panic", "unreachable", "todo", "unimplemented", "log", "env", "concat"),
}
_TYPES = ("struct", "enum", "union")
_HEADED = ("impl", "trait", "mod")


class _Outline:
    """Walks over items: names functions, and excludes code that does not play."""

    def __init__(self, source: RustSource) -> None:
        self.source = source

    def mark(self, i: int, end: int, inside: str) -> None:
        source = self.source
        while i < end:
            source.functions[i] = inside
            step = self._item(i, inside)
            i = step if step > i else i + 1

    def _item(self, i: int, inside: str) -> int:
        """Handle an item that begins at a token; return where to go on, or `i` if there is none."""
        source, text = self.source, self.source.tokens[i].text
        if text == "#" and (source.is_(i + 1, "[") or source.is_(i + 1, "!")):
            return self._attribute(i)
        if text == "macro_rules":
            return self._closed(i, source.closing[source.until(i, "{", "(", "[")] + 1)
        if source.is_(i + 1, "!") and text in _TELL_PEOPLE:
            return self._closed(i, source.closing.get(i + 2, i + 1) + 1)
        if text in ("use", "type"):
            return self._closed(i, source.until(i, ";") + 1)
        if text in _TYPES and source.tokens[i + 1].kind == "name":
            return self._closed(i, self._item_end(i))
        if text in _HEADED and not source.is_(i - 1, "->", ":", "&", "(", "<", ","):
            return self._with_body(i, self._subject(i) or inside)
        if text == "fn" and source.tokens[i + 1].kind == "name":
            name = source.tokens[i + 1].text
            if name == "fmt":  # Display, Debug
                return self._closed(i, self._item_end(i))
            return self._with_body(i, f"{inside}::{name}" if inside else name)
        if text in ("const", "static", "let"):
            return self._without_type(i, inside)
        return i

    def _attribute(self, i: int) -> int:
        source = self.source
        start = i + 1 if source.is_(i + 1, "[") else i + 2
        end = source.closing.get(start, start) + 1
        self._closed(i, end)
        words = [token.text for token in source.tokens[start:end]]
        is_of_tests = words[1:3] == ["test", "]"] or (words[1] == "cfg" and words[3:4] == ["test"])
        return self._closed(end, self._item_end(end)) if is_of_tests else end

    def _item_end(self, i: int) -> int:
        """Return the place after the body, or after the semicolon if there is none."""
        end = self.source.until(i, "{", ";")
        return self.source.closing.get(end, end) + 1

    def _with_body(self, i: int, name: str) -> int:
        """Skip the head of a function or impl, which is types, and walk through its body."""
        source = self.source
        end = source.until(i, "{", ";")
        self._closed(i, end)
        close = source.closing.get(end, end)
        self.mark(end, close, name)
        return close + 1

    def _without_type(self, i: int, inside: str) -> int:
        """Skip the type between colon and equals sign: `let x: [f32; 8] = …`."""
        source = self.source
        colon = source.until(i, ":", "=", ";")
        if not source.is_(colon, ":"):
            return i
        end = source.until(colon, "=", ";")
        for at in range(i, end):
            source.functions[at] = inside
        return self._closed(colon, end)

    def _subject(self, i: int) -> str:
        """Return the subject of an impl: Pong in `impl<A> Batch for Pong<A> {`."""
        source = self.source
        words = source.tokens[i : source.until(i, "{", ";")]
        texts = [token.text for token in words]
        if "for" in texts:
            words = words[texts.index("for") + 1 :]
        depth, names = 0, []
        for token in words:
            depth += {"<": 1, ">": -1, "<<": 2, ">>": -2}.get(token.text, 0)
            if depth == 0 and token.text in ("where", ":"):
                break
            if depth == 0 and token.kind == "name" and token.text not in _HEADED:
                names.append(token.text)
        return names[-1] if names else ""

    def _closed(self, start: int, end: int) -> int:
        end = min(end, len(self.source.tokens))
        for i in range(start, end):
            self.source.may_change[i] = False
        return end
