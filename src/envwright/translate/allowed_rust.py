"""The names that translated Rust may use, read from its tokens.

The compiler already forbids `unsafe`, and the crate has no dependencies and no build script. Files,
clocks, processes and memory between two calls are then only in the standard library, and paths into
that are checked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

ROOTS = frozenset({"std", "core", "alloc"})
SHOWN = 20
# Pure parts of the standard library. Not `cell`, `sync` and `rc`: what they hold survives a call.
PURE = frozenset(
    {
        *("array", "ascii", "borrow", "boxed", "char", "clone", "cmp", "collections", "convert"),
        *("default", "error", "f32", "f64", "fmt", "hint", "i128", "i16", "i32", "i64", "i8"),
        *("iter", "isize", "marker", "mem", "num", "ops", "option", "prelude", "primitive"),
        *("result", "slice", "str", "string", "u128", "u16", "u32", "u64", "u8", "usize", "vec"),
        *("write", "matches", "assert", "assert_eq", "assert_ne", "debug_assert", "format"),
        *("panic", "unreachable", "unimplemented", "todo"),
    }
)
# Macros that do not make paths of what they are given.
STANDARD = frozenset(
    {
        *("assert", "assert_eq", "assert_ne", "dbg", "debug_assert", "debug_assert_eq"),
        *("debug_assert_ne", "eprint", "eprintln", "format", "matches", "panic", "print"),
        *("println", "todo", "unimplemented", "unreachable", "vec", "write"),
        "writeln",
    }
)
OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")
HARNESS = frozenset(
    {
        *("Action", "Array", "Data", "Dtype", "Element", "Fields", "Game", "Options", "Outcome"),
        *("NumpyRandomState", "PythonRandom", "Rng", "Space"),
    }
)
# A new one in each process decides their order.
RANDOM = ("HashMap", "HashSet", "RandomState", "DefaultHasher")
MACROS = frozenset(
    {
        *("asm", "concat", "env", "global_asm", "include", "include_bytes", "include_str"),
        *("naked_asm", "option_env", "stringify", "thread_local", "cfg"),
    }
)
ATTRIBUTES = frozenset(
    {
        *("allow", "cold", "default", "deny", "deprecated", "derive", "doc", "expect", "forbid"),
        *("ignore", "inline", "must_use", "non_exhaustive", "repr", "rustfmt", "should_panic"),
        *("test", "track_caller", "warn"),
    }
)
WORDS = frozenset(
    {
        *("Pointer", "as_mut_ptr", "as_ptr", "as_ptr_range", "extern", "unsafe"),
        *("generator_words", "of_generator_words"),  # these show whether a step is compared
    }
)

_TOKEN = re.compile(
    r"""
      (?P<skip> \s+ | //[^\n]* )
    | (?P<comment> /\* )
    | (?P<text> [bc]?r(?P<hashes>\#*)".*?(?:"(?P=hashes)|\Z) | [bc]?"(?:[^"\\]|\\.)*(?:"|\Z) )
    | (?P<char> b?'(?:[^'\\]|\\(?:x..|u\{[0-9a-fA-F_]*\}|.))' )
    | (?P<lifetime> '\w+ )
    | (?P<word> (?:r\#)?[^\W\d]\w* )
    | (?P<number> \d[\w.]* )
    | (?P<mark> :: | . )
    """,
    re.VERBOSE | re.DOTALL,
)
# A line for a shell (not an attribute), or a block for other tools.
_ODD_BEGINNING = re.compile(r"#!(?!\s*\[)|\s*---")
_COMMENT = re.compile(r"/\*|\*/")


@dataclass(frozen=True)
class Token:
    """A word, a mark or a text, and its line."""

    kind: str
    text: str
    line: int


def forbidden_in_rust(files: Mapping[str, bytes]) -> list[str]:
    """Return a sentence for each forbidden use in the sources, which are keyed by path."""
    found: list[str] = []
    sources: dict[str, list[Token]] = {}
    for path, data in sorted(files.items()):
        if not path.endswith((".rs", ".md", ".txt")):
            found.append(f"{path} is not Rust source")
        elif path.endswith(".rs"):
            text = data.decode(errors="replace").removeprefix("\ufeff")
            if _ODD_BEGINNING.match(text):
                found.append(f"{path}:1: begins with what the compiler skips; begin with code")
            sources[path] = list(_tokens(text))
    own = {name for tokens in sources.values() for name in _named(tokens)}
    for path, tokens in sources.items():
        offences = islice(_offences(tokens, _in_macros(tokens, own)), SHOWN)
        found += [f"{path}:{line}: {what}" for line, what in offences]
    return found[:SHOWN]


def _named(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names that macros may have got here: by a definition or an import."""
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False):
        if before.text == "as":
            yield token.text
        elif before.text == "macro_rules" and after is not None:
            yield after.text


def _in_macros(tokens: Sequence[Token], own: Collection[str]) -> set[int]:
    """Return the places within macros of the code's own, which may make paths and calls of words.

    A word there is not the name of a variable, whatever stands beside it.
    """
    inside: set[int] = set()
    depth = 0
    for place, token in enumerate(tokens):
        if depth:
            inside.add(place)
            depth += (token.text in OPEN) - (token.text in CLOSE)
        elif token.text in OPEN and place > 1:
            at = place - 1 if tokens[place - 1].text == "!" else place - 2
            name = tokens[at - 1].text if tokens[at].text == "!" and at else ""
            depth = int(bool(name) and (name not in STANDARD or name in own) and name != "#")
    return inside


def _offences(tokens: Sequence[Token], macros: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yield a line and a phrase for each forbidden use.

    Macros of the code's own could make a path of any `std`, and a call of any macro's name: at
    these places, these are not other names.
    """
    imports = False
    for place, token in enumerate(tokens):
        imports = token.text == "use" or (imports and token.text != ";")
        after = [t.text for t in tokens[place + 1 : place + 3]] + ["", ""]
        word = token.text.removeprefix("r#") if token.kind == "word" else ""
        free = place not in macros
        if word in ROOTS | {"harness"} and free and not (imports or _is_path(tokens, place)):
            continue  # a variable or a field
        if word in ROOTS:
            for part in _reached(tokens, place):
                # `panic` is a macro, and a module with hooks of the whole process.
                hooks = part == "panic" and "!" not in [t.text for t in tokens[place : place + 4]]
                if part not in PURE or hooks:
                    yield token.line, f"uses {word}::{part}, which a translation may not"
        elif word == "harness":
            for part in _reached(tokens, place):
                if part not in HARNESS:
                    yield token.line, f"uses harness::{part}, which is the harness's own"
        elif word in WORDS:
            yield token.line, f"uses {word}, which a translation may not"
        elif word in RANDOM:
            yield token.line, f"uses {word}, whose order is random; use a BTreeMap or BTreeSet"
        elif word in MACROS and (after[0] == "!" or not (free or _is_attribute(tokens, place))):
            yield token.line, f"uses {word}!, which a translation may not"
        elif word == "leak" and (_is_called(tokens, place) or not free):
            yield token.line, "uses leak, by which something outlives a call"
        elif token.text == "*" and after[0] in ("const", "mut"):
            yield token.line, "uses a raw pointer, which a translation may not"
        elif token.kind == "text" and re.search(r"\{[^{}]*:[^{}]*[pP]\}", token.text):
            yield token.line, "prints an address, which a translation may not"
        elif token.text == "#":
            yield from ((token.line, what) for what in _attribute(tokens, place))


def _attribute(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """Yield a phrase if an attribute may choose other code for other builds or people."""
    inside = [t.text for t in tokens[place + 1 : place + 8] if t.text != "!"]
    if inside[:1] != ["["]:
        return
    if inside[1:5] == ["cfg", "(", "test", ")"]:
        return
    if inside[1] not in ATTRIBUTES:
        yield f"uses the attribute {inside[1]!r}, which a translation may not"


def _reached(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """Yield the names directly below a path's root: `std::{mem, cmp::max}` has `mem` and `cmp`."""
    if not _is_path(tokens, place) or place + 2 >= len(tokens):
        yield "itself"
    elif tokens[place + 2].text != "{":
        yield tokens[place + 2].text.removeprefix("r#")
    else:
        depth, begins = 0, True
        for at in range(place + 2, len(tokens)):
            text = tokens[at].text
            if depth == 1 and begins and text not in ("{", "}", ","):
                yield text.removeprefix("r#")
                begins = False
            depth += (text == "{") - (text == "}")
            begins = (begins or text == ",") if depth == 1 else begins
            if depth == 0:
                return


def _is_path(tokens: Sequence[Token], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1].text == "::"


def _is_called(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word is a function's, called or passed on: not a variable or a field."""
    before, after = tokens[place - 1].text if place else "", [*tokens[place + 1 :], None][0]
    return before == "::" or (after is not None and after.text in ("(", "::"))


def _is_attribute(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word begins an attribute, which is checked as such."""
    before = [token.text for token in tokens[max(place - 3, 0) : place]]
    return before[-2:] == ["#", "["] or before[-3:] == ["#", "!", "["]


def _tokens(text: str) -> Iterator[Token]:
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        assert found is not None  # any single character is a mark
        end = _end_of_comment(text, place) if found["comment"] else found.end()
        kind = found.lastgroup or ""
        if kind not in ("skip", "comment"):
            kind = "text" if found["text"] else kind
            yield Token(kind, text[place:end], line)
        line += text.count("\n", place, end)
        place = end


def _end_of_comment(text: str, place: int) -> int:
    """Return where a comment ends, which may hold others."""
    depth = 0
    for mark in _COMMENT.finditer(text, place):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)
