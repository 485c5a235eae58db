"""The source of functions: syntax, lines and comments."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from envwright.agents.compiler.trouble import Place, Unsupported


@dataclass(frozen=True)
class Source:
    """A function's source."""

    node: Any  # ast.FunctionDef or ast.Lambda
    file: str
    first: int  # line of the file
    remarks: dict[int, str] = field(default_factory=dict)  # comments by line number in `node`

    def place(self, node: ast.AST) -> Place:
        """Return where a node is."""
        return Place(self.file, self.first + getattr(node, "lineno", 1) - 1)


@lru_cache(maxsize=1024)
def source_of(function: Callable) -> Source:
    """Return a function's source. Raises `Unsupported` if there is none."""
    try:
        code = function.__code__  # a decorator's own, where functools.wraps would show another
        lines, first = inspect.getsourcelines(code)
        file = Path(inspect.getsourcefile(code) or "?").name
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError, AttributeError) as error:
        name = getattr(function, "__qualname__", repr(function))
        raise Unsupported(
            f"the call of {name}, whose source cannot be read", "write it in Python"
        ) from error
    wanted = ast.Lambda if function.__name__ == "<lambda>" else ast.FunctionDef
    found = [n for n in ast.walk(tree) if isinstance(n, wanted)]
    if not found or (wanted is ast.Lambda and len(found) > 1):
        raise Unsupported(f"a function whose source is ambiguous: {function.__qualname__}")
    return Source(found[0], file, first, _remarks(text))


def _remarks(text: str) -> dict[int, str]:
    """Return comments by the line that they describe: their own, or the next with code."""
    found: dict[int, str] = {}
    waiting: list[str] = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError):
        return {}
    coded = False
    for token in tokens:
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip("#").strip()
            if coded:
                found[token.start[0]] = words
            elif words:
                waiting.append(words)
        elif token.type in (tokenize.NL, tokenize.NEWLINE):
            if token.type == tokenize.NL and not coded and not token.line.strip():
                waiting = []
            coded = False
        elif token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            if not coded and waiting:
                found[token.start[0]] = " ".join(waiting)
                waiting = []
            coded = True
    return found
