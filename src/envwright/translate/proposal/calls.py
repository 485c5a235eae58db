"""Which functions an environment calls while it plays, and their properties."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.sim.actions import draw_action
from envwright.sim.records import is_over
from envwright.sim.tape import RecordingGenerator
from envwright.translate.proposal.subject import Subject

EPISODES, STEPS = 6, 25
WATCHED = 300  # calls of one function to inspect; more would show nothing new


@dataclass
class Function:
    """A function or method of the environment's package that was called."""

    module: str
    name: str  # Class.method or function
    thing: Callable
    lines: int = 0  # lines of code without documentation
    callers: set[str] = field(default_factory=set)  # their targets
    called: int = 0
    in_step: bool = False
    plain: bool = True  # takes and returns numbers and arrays
    draws: bool = False
    changes: bool = False  # the environment's state, or an argument
    recursive: bool = False

    @property
    def target(self) -> str:
        """`module:Class.method`."""
        return f"{self.module}:{self.name}"

    @property
    def short(self) -> str:
        """The last part of its name, without leading underscores."""
        return self.name.rpartition(".")[2].lstrip("_") or "function"

    @property
    def is_method(self) -> bool:
        """Whether it has a `self`."""
        return next(iter(inspect.signature(self.thing).parameters), "") == "self"

    @property
    def parameters(self) -> list[str]:
        """Parameters without `self`."""
        return [p for p in inspect.signature(self.thing).parameters if p != "self"]

    @property
    def pure(self) -> bool:
        """Whether equal inputs give equal outputs, without side effects."""
        kinds = {p.kind for p in inspect.signature(self.thing).parameters.values()}
        listed = not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
        return listed and self.plain and not (self.draws or self.changes or self.recursive)


def watch_calls(subject: Subject) -> dict[str, Function]:
    """Return the functions called in a few episodes by target, in order of first call."""
    watch = _Watch(subject)
    simulator, rng = subject.simulator, np.random.default_rng(0)
    for episode in range(EPISODES):
        with watch.open():
            simulator.reset(episode)
        for _ in range(STEPS):
            action = draw_action(rng, simulator.action_space)
            with watch.open(step=True):
                record = simulator.step(action)
            if is_over(record):
                break
    return {f.target: f for f in watch.functions.values() if f is not None}


@dataclass
class _Open:
    """A call that has not returned."""

    function: Function
    frame: FrameType
    inputs: list[tuple[Any, Any]]  # arrays and lists, with a copy of what they held
    state: Any  # None: not looked at
    drawn: int


class _Watch:
    """Python's profiling hook, which sees every call."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.functions: dict[CodeType, Function | None] = {}  # None: not of interest
        self._stack: list[_Open] = []
        self._step = False

    @contextmanager
    def open(self, step: bool = False) -> Iterator[None]:
        """Watch calls while open."""
        before, self._step = sys.getprofile(), step
        sys.setprofile(self._event)
        try:
            yield
        finally:
            sys.setprofile(before if callable(before) else None)
            self._stack.clear()

    def _event(self, frame: FrameType, event: str, result: Any) -> None:
        if event == "call":
            function = self._function(frame)
            if function is not None:
                self._enter(function, frame)
        elif event == "return" and self._stack and self._stack[-1].frame is frame:
            self._leave(self._stack.pop(), result)

    def _function(self, frame: FrameType) -> Function | None:
        code = frame.f_code
        if code not in self.functions:
            self.functions[code] = _named(frame, self.subject.root)
        return self.functions[code]

    def _enter(self, function: Function, frame: FrameType) -> None:
        function.called += 1
        function.in_step |= self._step
        if self._stack:
            function.callers.add(self._stack[-1].function.target)
        function.recursive |= any(o.function is function for o in self._stack)
        inputs, state = [], None
        if function.called <= WATCHED:
            given = [frame.f_locals[p] for p in function.parameters if p in frame.f_locals]
            function.plain &= all(is_plain(value) for value in given)
            inputs = [(v, v.copy()) for v in given if isinstance(v, np.ndarray | list)]
            state = self._state()
        self._stack.append(_Open(function, frame, inputs, state, self._drawn()))

    def _leave(self, call: _Open, result: Any) -> None:
        function = call.function
        function.draws |= self._drawn() != call.drawn
        if call.state is None:
            return
        function.plain &= is_plain(result)
        function.changes |= not _same(call.state, self._state())
        function.changes |= any(not _same(now, before) for now, before in call.inputs)

    def _state(self) -> dict[str, Any]:
        simulator = self.subject.simulator
        try:
            return simulator.state() if simulator.loads else {}
        except Exception:
            return {}  # during a reset

    def _drawn(self) -> int:
        generator = getattr(self.subject.env, "_np_random", None)
        return len(generator.tape) if isinstance(generator, RecordingGenerator) else 0


def is_plain(value: Any) -> bool:
    """Return whether a value is a number, an array of numbers, or lists and tuples of them."""
    if isinstance(value, bool | int | float | np.bool_ | np.number):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return isinstance(value, list | tuple) and len(value) > 0 and all(map(is_plain, value))


def _named(frame: FrameType, root: str) -> Function | None:
    """Return a frame's function if it belongs to the package and can be found by its name."""
    module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
    if not root or not f"{module}.".startswith(f"{root}.") or "<" in name or "__" in name:
        return None
    try:
        thing = load_attribute(f"{module}:{name}")
    except EnvwrightError:
        return None
    if not inspect.isfunction(thing) or thing.__code__ is not frame.f_code:
        return None  # a property, or something that a decorator put in its place
    return Function(module, name, thing, lines=code_lines(thing))


def code_lines(thing: Callable) -> int:
    """Count a function's lines, without its docstring."""
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        return 0
    documented = len((thing.__doc__ or "").splitlines())
    return sum(bool(line.strip()) for line in source.splitlines()) - documented


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(v, b[k]) for k, v in a.items())
    if isinstance(a, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return a == b
