"""The whole interpreter."""

from __future__ import annotations

from typing import Any

from envwright.agents.compiler.interpreter import builtin_calls, methods, numpy_calls
from envwright.agents.compiler.interpreter.base import Handler
from envwright.agents.compiler.interpreter.loops import Loops


class Machine(Loops):
    """Interprets methods of one object.

    `channels` are the arrays of noise that draws come from; with `invents`, those that are
    missing are made up, else what is drawn there must not matter. Calls that `helpers` admits
    stay calls; without it, none does.
    """

    def run(self, function: Any, args: list, keywords: dict[str, Any], results: int = 0) -> Any:
        """Interpret a function; `self.world` is what it leaves behind."""
        self.results = results
        return self.call_function(function, args, keywords)

    def handler(self, function: Any) -> Handler | None:
        return builtin_calls.find(function) or numpy_calls.find(function)

    def handled(self, handler: Handler, args: list, keywords: dict[str, Any]) -> Any:
        return handler(self, args, keywords)

    def call_method(self, owner: Any, name: str, args: list, keywords: dict[str, Any]) -> Any:
        return methods.call(self, owner, name, args, keywords)
