"""Which modules translated Python may use. Code that calls the reference is not a translation.

This parses the source without running it. It keeps honest agents from short cuts and makes
dishonest ones conspicuous; the jail is what contains them. Source can exhaust or crash the parser,
so a process of its own parses: this file, run alone, which imports nothing of this package.
"""

from __future__ import annotations

import ast
import json
import resource
import subprocess
import sys
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


SECONDS, MEMORY = 30, 1 << 30  # of the parsing process
MOST = 100  # findings


def forbidden(folder: Path, package: str) -> list[str]:
    """Return a sentence for each forbidden use in the code below `folder`."""
    parser = [sys.executable, "-I", "-S", __file__]
    command = [*parser, str(folder.absolute()), package, str(MEMORY)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        return [f"{folder.name} cannot be parsed within {SECONDS} s; write simpler code"]
    if done.returncode != 0:
        return [f"{folder.name} cannot be parsed: it exhausts Python's parser; write simpler code"]
    return json.loads(done.stdout)


def _found(folder: Path, package: str) -> list[str]:
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".md", ".txt"):
            found.append(f"{path.relative_to(folder.parent)} is no Python source")
        elif path.suffix == ".py":
            found += [
                f"{path.relative_to(folder.parent)}:{line}: {what}"
                for line, what in _in_source(path, package)
            ]
    return found[:MOST]


def _in_source(path: Path, package: str) -> Iterator[tuple[int, str]]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # the import will report it
    except (RecursionError, MemoryError, SystemError) as error:
        yield 1, f"cannot be parsed ({type(error).__name__}); nest it less and make it smaller"
        return
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


def _main(folder: str, package: str, memory: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    json.dump(_found(Path(folder), package), sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
