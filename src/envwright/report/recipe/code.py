"""Highlight code, line by line."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter  # comes with rich
from pygments.lexer import Lexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.rust import RustLexer

LEXERS: dict[str, type[Lexer]] = {
    ".py": PythonLexer,
    ".rs": RustLexer,
    ".toml": TOMLLexer,
    ".json": JsonLexer,
}
_BLANK = re.compile(r"\s{500}")  # a lexer's time grows with the square of blank space
_FORMATTER = HtmlFormatter(nowrap=True, classprefix="hl-")  # the page has short names of its own


def coloured(path: str, text: str) -> list[Markup]:
    """Return the lines of a file as safe markup; plain if unknown or slow to colour."""
    lexer = LEXERS.get(PurePosixPath(path).suffix)
    if lexer is None or _BLANK.search(text):
        return [escape(line) for line in text.splitlines()]
    from pygments import highlight

    # The formatter escapes, and closes what it opened at the end of every line.
    shown = highlight(text, lexer(stripnl=False), _FORMATTER)
    return [Markup(line) for line in shown.rstrip("\n").split("\n")]


def quoted(text: str) -> Markup:
    """Return an agent's words as markup, with the names between `backticks` as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)  # one has no partner
    pieces = [
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    ]
    return Markup("").join(pieces)
