"""What an agent is told about a new version: the source that changed, and calls that differ."""

from __future__ import annotations

import json
from collections.abc import Iterator

from envwright.core.files import plain
from envwright.schema.results import FunctionUpdate, Update
from envwright.translate.update.versions import Comparison

LONGEST = 300  # lines of a difference


def hint(comparison: Comparison, result: Update) -> str:
    """Return the text that becomes part of every prompt."""
    package = comparison.spec.target.package
    lines = [
        f"The reference is now {comparison.new}. The files in src/{package}/ are a verified "
        f"translation of {comparison.old}; change only what the new version asks for.",
    ]
    for module in result.modules:
        if module.name in result.to_translate:
            lines += ["", f"## {module.name}: {module.why}"]
            for text in comparison.sources(module.name):
                lines += ["```diff", *text.splitlines()[:LONGEST], "```"]
            lines += [line for function in module.functions for line in _call(function)]
    differ = [part for part in result.parts if part.differ]
    lines += ["", "## The whole environment"] if differ else []
    lines += [f"- {part.name}: {part.first}" for part in differ]
    return "\n".join(lines) + "\n"


def _call(function: FunctionUpdate) -> Iterator[str]:
    if function.differ:
        yield f"`{function.target}` with {_text(function.inputs)}"
        yield f"gave {_text(function.old)}"
        yield f"and gives {_text(function.new)}"


def _text(values: dict[str, object]) -> str:
    return json.dumps(plain(values))
