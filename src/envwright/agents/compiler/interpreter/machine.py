"""The whole interpreter."""

from __future__ import annotations

from typing import Any

from envwright.agents.compiler.interpreter import builtin_calls, methods, numpy_calls
from envwright.agents.compiler.interpreter.base import Handler
from envwright.agents.compiler.interpreter.loops import Loops

HANDLERS = {**numpy_calls.HANDLERS, **builtin_calls.HANDLERS}


class Machine(Loops):
    """Interprets methods of one object.

    Draws come from the noise arrays in `channels`. With `invents`, missing ones are created;
    otherwise their draws must not matter. Calls that `helpers` admits stay calls; without
    `helpers`, none do.
    """

    def run(self, function: Any, args: list, keywords: dict[str, Any], results: int = 0) -> Any:
        """Interpret a function. `self.world` is the resulting state."""
        self.results = results
        return self.call_function(function, args, keywords)

    def handler(self, function: Any) -> Handler | None:
        try:
            return HANDLERS.get(function)
        except TypeError:  # it cannot be hashed
            return None

    def call_method(self, owner: Any, name: str, args: list, keywords: dict[str, Any]) -> Any:
        return methods.call(self, owner, name, args, keywords)
