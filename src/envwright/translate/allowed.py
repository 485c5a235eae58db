"""Which modules translated Python may use. Code that calls the reference is not a translation.

This parses the source without running it. It keeps honest agents from short cuts and makes
dishonest ones conspicuous; the jail is what contains them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MODULES = frozenset(
    {
        *("__future__", "abc", "collections", "dataclasses", "enum", "functools", "itertools"),
        *("jax", "math", "numpy", "operator", "types", "typing", "typing_extensions"),
    }
)
OURS = "envwright.core"
# They leave the compiled program, or run text as code.
WORDS = frozenset(
    {
        *("__import__", "__builtins__", "breakpoint", "compile", "eval", "exec", "globals", "open"),
        *("pure_callback", "io_callback", "host_callback", "callback"),
    }
)


def forbidden(folder: Path, package: str) -> list[str]:
    """Return a sentence for each forbidden use in the code below `folder`."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".md", ".txt"):
            found.append(f"{path.relative_to(folder.parent)} is no Python source")
        elif path.suffix == ".py":
            found += [
                f"{path.relative_to(folder.parent)}:{line}: {what}"
                for line, what in _in_source(path, package)
            ]
    return found


def _in_source(path: Path, package: str) -> Iterator[tuple[int, str]]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # the import will report it
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for name in _imported(node):
            if not _may_import(name, package):
                yield line, f"imports {name}, which a translation may not use"
        word = _word(node)
        if word in WORDS:
            yield line, f"uses {word}, which a translation may not"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    return []


def _may_import(name: str, package: str) -> bool:
    root = name.partition(".")[0]
    return root in MODULES | {package} or f"{name}.".startswith(f"{OURS}.")


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
