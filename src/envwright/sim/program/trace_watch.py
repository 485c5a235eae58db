"""Notice code that looks at how it is traced, or has Python run a text.

JAX's tracers know more than an array: that nothing is computed yet, and in how large a batch. Code
that asks them can be right where it is verified and wrong elsewhere. So the tracer's process notes
who asks. JAX itself may.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from jax._src.array import ArrayImpl
from jax._src.interpreters.batching import BatchTracer
from jax._src.interpreters.partial_eval import DynamicJaxprTracer
from jax.core import Tracer

# Python's ways to make a number or an array of a traced value: all raise.
NUMBERS = ("__array__", "__bool__", "__complex__", "__float__", "__index__", "__int__")
SLOTS = ((BatchTracer, "batch_dim"), (BatchTracer, "val"), (DynamicJaxprTracer, "val"))
TEXTS = "makes a text of a traced value"


class TraceWatch:
    """Records what a package's code looks at. Watching it changes JAX's classes in this process."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._forbidden = ""  # for good
        self._found = ""

    def begin(self) -> None:
        """Forget what a former trace has looked at."""
        self._found = ""

    @property
    def found(self) -> str:
        """Return what the code does that it may not, or an empty text."""
        return self._forbidden or self._found

    def watch(self) -> None:
        """Note from now on what the code looks at."""
        for cls, name in SLOTS:
            setattr(cls, name, self._slot(getattr(cls, name), name))
        for name in NUMBERS:
            self._note(Tracer, name, f"tries {name} of a traced value")
        self._note(Tracer, "__getattr__", "asks a traced value for what only arrays have")
        for cls in (Tracer, BatchTracer):
            self._note(cls, "__repr__", TEXTS)
        dataclasses._get_field = self._named(dataclasses._get_field)  # type: ignore[attr-defined]

    def _slot(self, slot: Any, name: str) -> property:
        def get(tracer: Any) -> Any:
            self._look(f"asks a traced value for its {name!r}")
            return slot.__get__(tracer)

        return property(get, slot.__set__)

    def _note(self, cls: type, name: str, what: str) -> None:
        original = getattr(cls, name)

        def method(tracer: Any, *args: Any) -> Any:
            try:
                found = original(tracer, *args)
            except Exception:
                if not args or hasattr(ArrayImpl, str(args[0])):
                    self._look(what)
                raise
            if what == TEXTS:
                self._look(what)
            return found

        setattr(cls, name, method)

    def _look(self, what: str) -> None:
        """Note this if the code asked: directly, or through a library other than JAX."""
        frame = sys._getframe(2)  # type: ignore[reportPrivateUsage]
        while frame is not None:
            spec = frame.f_globals.get("__spec__")
            home = f"{getattr(spec, 'name', '')}."
            if home.startswith(f"{self._package}."):
                self._found = self._found or what
            if home.startswith("jax.") and not home.startswith("jax._src.tree_util."):
                return
            frame = frame.f_back

    def _named(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def field(cls: Any, name: Any, *args: Any) -> Any:
            if not str(name).isidentifier():
                self._forbidden = f"has a field with the name {name!r}, which Python would run"
            return original(cls, name, *args)

        return field
