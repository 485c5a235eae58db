"""Values of several parts, such as a Tuple action: in the interpreter, in columns, and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from envwright.agents.compiler.interpreter import Machine


def opened(machine: Machine, like: Any, text: str, leaf: Callable[[str, Any], Any]) -> Any:
    """Return a value like `like`, each part of which `leaf` makes from how it is written."""
    if isinstance(like, dict):
        parts = {k: opened(machine, v, f'{text}["{k}"]', leaf) for k, v in like.items()}
        return machine.new("dict", parts)
    if isinstance(like, tuple):
        return tuple(opened(machine, v, f"{text}[{k}]", leaf) for k, v in enumerate(like))
    return leaf(text, like)


def gathered(columns: Mapping[str, Any], name: str) -> Any:
    """Return the value of a name from columns such as `action.0` and `action.1`."""
    if name in columns:
        return columns[name]
    below = [column.removeprefix(f"{name}.") for column in columns if column.startswith(f"{name}.")]
    keys = list(dict.fromkeys(rest.partition(".")[0] for rest in below))
    parts = {key: gathered(columns, f"{name}.{key}") for key in keys}
    return tuple(parts.values()) if keys == [str(k) for k in range(len(keys))] else parts


def expression(texts: Any) -> str:
    """Write nested dicts and tuples of texts."""
    if isinstance(texts, dict):
        return f"{{{', '.join(f'{k!r}: {expression(v)}' for k, v in texts.items())}}}"
    if isinstance(texts, tuple):
        return f"({', '.join(map(expression, texts))},)"
    return texts


def without(value: Any, dropped: tuple[str, ...], where: str = "obs") -> Any:
    """Return an observation without the parts that are dropped."""
    if not dropped or not isinstance(value, dict | tuple):
        return value
    keys = value if isinstance(value, dict) else range(len(value))
    names = {key: f"{where}.{key}" for key in keys}
    kept = {k: without(value[k], dropped, n) for k, n in names.items() if n not in dropped}
    return kept if isinstance(value, dict) else tuple(kept.values())
