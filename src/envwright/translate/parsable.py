"""Whether sources can be parsed at all: they can exhaust or crash Python's parser.

So a process of its own parses first: this file, run alone, which imports nothing of this package.
"""

from __future__ import annotations

import ast
import json
import resource
import subprocess
import sys
from pathlib import Path

SECONDS, MEMORY = 30, 1 << 30  # limits of the parsing process
DEEPEST = 500  # expressions and statements within each other; those who walk the tree recurse
MOST = 100  # findings


def unparsable(folder: Path) -> list[str]:
    """Return a sentence for each source below `folder` that is too much for the parser."""
    parser = [sys.executable, "-I", "-S", __file__, str(folder.absolute()), str(MEMORY)]
    try:
        done = subprocess.run(parser, capture_output=True, timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        return [f"{folder.name} cannot be parsed within {SECONDS} s; write simpler code"]
    if done.returncode != 0:
        return [f"{folder.name} cannot be parsed: it exhausts Python's parser; write simpler code"]
    return json.loads(done.stdout)


def _found(folder: Path) -> list[str]:
    paths = (path for path in sorted(folder.rglob("*.py")) if path.is_file())
    found = ((path.relative_to(folder.parent), _trouble(path)) for path in paths)
    return [f"{name}:1: {trouble}" for name, trouble in found if trouble][:MOST]


def _trouble(path: Path) -> str:
    try:
        depth = _depth(ast.parse(path.read_bytes()))
    except (SyntaxError, ValueError):
        return ""  # the import will report it
    except (RecursionError, MemoryError, SystemError) as error:
        return f"cannot be parsed ({type(error).__name__}); nest it less and make it smaller"
    return "" if depth <= DEEPEST else f"is nested more than {DEEPEST} deep; nest it less"


def _depth(tree: ast.AST) -> int:
    depth, layer = 0, [tree]
    while layer:
        depth, layer = depth + 1, [child for node in layer for child in ast.iter_child_nodes(node)]
    return depth


def _main(folder: str, memory: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    json.dump(_found(Path(folder)), sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
