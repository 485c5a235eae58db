"""Text of modules and functions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from envwright.agents.compiler.emit.layout import LIMIT, fitted

IMPORTS = (
    (r"\bpartial\(", "from functools import partial"),
    (r"\bAny\b", "from typing import Any"),
    (r"\bjax\.", "import jax"),
    (r"\bjnp\.", "import jax.numpy as jnp"),
    (r"\bnp\.", "import numpy as np"),
)
STANDARD = ("from functools", "from typing")
CORE = (
    *("Box", "Dict", "Discrete", "DiscreteTuple", "Env", "MultiDiscrete"),
    *("exact_div", "pytree_dataclass", "rounded", "scalar_power", "updated"),
)


def module(about: str, blocks: Iterable[str], ours: Iterable[str] = ()) -> str:
    """Return a whole file, with the imports that its blocks need."""
    body = "\n\n\n".join(block.strip("\n") for block in blocks if block.strip())
    body = "\n".join(part for line in body.split("\n") for part in fitted(line))
    lines = [line for pattern, line in IMPORTS if re.search(pattern, body)]
    standard = [line for line in lines if line.startswith(STANDARD)]
    others = [line for line in lines if line not in standard]
    used = [name for name in CORE if re.search(rf"(?<![\w.]){name}\b", body)]
    if used:
        others += _imported("envwright.core", used)
    groups = [["from __future__ import annotations"], standard, others, list(ours)]
    head = "\n\n".join("\n".join(group) for group in groups if group)
    return f'"""{about}"""\n\n{head}\n\n{_spaced(body)}\n'


def _imported(package: str, names: list[str]) -> list[str]:
    """Return an import, a name to a line if they do not fit on one."""
    line = f"from {package} import {', '.join(names)}"
    if len(line) <= LIMIT:
        return [line]
    return [f"from {package} import (", *(f"    {name}," for name in names), ")"]


def _spaced(body: str) -> str:
    first = body.split("\n", 1)[0]
    return body if re.match(r"[A-Z_0-9]+ = ", first) else f"\n{body}"


def function(head: str, about: str, lines: Iterable[str], indent: int = 0) -> str:
    """Return a function with its docstring."""
    pad = "    " * indent
    made = [f"{pad}{head}", f'{pad}    """{about}"""', *lines]
    return "\n".join(line.rstrip() for line in made)
