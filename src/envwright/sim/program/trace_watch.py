"""Notice code that looks at how it is traced, or has Python run a text.

JAX's tracers know more than an array: that nothing is computed yet, and in how large a batch. Code
that asks them can be right where it is verified and wrong elsewhere. So the tracer's process notes
who asks. JAX itself may. It also notes who draws a seed of the process, and who takes a compiled
function apart, whose text names the files that called it.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from jax._src import api_util, config, source_info_util, stages
from jax._src.array import ArrayImpl
from jax._src.interpreters.batching import BatchTracer
from jax._src.interpreters.partial_eval import DynamicJaxprTracer
from jax.core import Tracer
from numpy.random import bit_generator

# Python's ways to make a number or an array of a traced value: all raise.
NUMBERS = ("__array__", "__bool__", "__complex__", "__float__", "__index__", "__int__")
SLOTS = ((BatchTracer, "batch_dim"), (BatchTracer, "val"), (DynamicJaxprTracer, "val"))
CLOCKS = (
    *("ctime", "gmtime", "localtime", "monotonic", "monotonic_ns", "perf_counter"),
    *("perf_counter_ns", "process_time", "strftime", "time", "time_ns"),
)
LIBRARIES = ("_collections_abc.", "functools.", "numpy.", "os.")  # they call what they are given
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
        self._call(stages.Traced, "__init__", "takes a compiled function apart", ("jax.",))
        self._call(bit_generator, "randbits", "draws a seed of the process")
        for name in CLOCKS:
            self._call(time, name, "reads a clock", LIBRARIES)
        self._call(type(os.environ), "__getitem__", "reads the environment's variables", LIBRARIES)
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

    def _call(self, place: Any, name: str, what: str, through: tuple[str, ...] = ("",)) -> None:
        """Note calls that the code makes, or that others make for it: `through` their modules."""
        original = getattr(place, name)

        def called(*args: Any, **more: Any) -> Any:
            frame: FrameType | None = sys._getframe(1)  # type: ignore[reportPrivateUsage]
            while frame is not None and not self._is_own(frame):
                frame = frame.f_back if _home(frame).startswith(through) else None
            if frame is not None:
                self._forbidden = what
            return original(*args, **more)

        setattr(place, name, called)

    def _is_own(self, frame: FrameType) -> bool:
        return _home(frame).startswith(f"{self._package}.")

    def _look(self, what: str) -> None:
        """Note this if the code asked: directly, or through a library other than JAX."""
        frame: FrameType | None = sys._getframe(2)  # type: ignore[reportPrivateUsage]
        while frame is not None:
            home = _home(frame)
            if self._is_own(frame):
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


def _home(frame: FrameType) -> str:
    """Return the module of a frame, with a dot behind it."""
    return f"{getattr(frame.f_globals.get('__spec__'), 'name', '')}."


@contextmanager
def unseen() -> Generator[None, None, None]:
    """Let what is traced meanwhile not show where: neither in programs nor in errors."""
    before = source_info_util.current, api_util.fun_sourceinfo
    here = source_info_util._source_info_context  # type: ignore[reportPrivateUsage]
    source_info_util.current = lambda: here.context
    api_util.fun_sourceinfo = lambda fun: "a function"
    try:
        with config.traceback_in_locations_limit(0):
            yield
    finally:
        source_info_util.current, api_util.fun_sourceinfo = before
