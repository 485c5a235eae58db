"""State of the interpreter, and what its lower layers need from the higher ones."""

from __future__ import annotations

import ast
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from envwright.agents.compiler.functions import Helpers
from envwright.agents.compiler.graph import Graph
from envwright.agents.compiler.interpreter.source import Source
from envwright.agents.compiler.interpreter.world import Channel, Flow, Law, World
from envwright.agents.compiler.values import Growing, Node, Reference

# Interprets a call of a Python builtin or NumPy function: machine, arguments, keywords.
Handler = Callable[[Any, list, dict[str, Any]], Any]


@dataclass
class Frame:
    """A call that is being interpreted."""

    source: Source
    scope: dict[str, Any]
    closure: dict[str, Any]
    owner: Any = None  # the class that defines the function, for `super()`
    first: Any = None  # its first argument
    current: Any = None  # its variables, where it is being interpreted


class Interpreter(ABC):
    """The lowest layer: state only.

    The layers inherit from each other, in this order: Interpreter, Containers, Tables, Elements,
    Draws, Merging, Outlining, Calls, Expressions, Comparisons, Lists, Statements, Loops, Machine.
    The abstract methods are those that a layer calls before a higher one defines them, because
    evaluating, calling and executing are mutually recursive.
    """

    def __init__(
        self,
        subject: Any,
        channels: list[Channel] | None = None,
        invents: bool = False,
        graph: Graph | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        self.subject = subject
        self.graph = graph or Graph()
        self.helpers = helpers
        self.refused: set[Any] = set()  # functions that cannot stay functions
        self.world = World()
        self.frames: list[Frame] = []
        self.channels = list(channels or [])
        self.invents = invents
        self.laws: list[Law] = []
        self.remark = ""
        self.results = 0  # values that the outermost function returns; the last is not needed
        self.loop_dtypes: dict = {}
        self.read: set[str] = set()  # attributes of the subject that were read as they really are
        self.partly: set[str] = set()  # attributes that a branch may have left as they were
        self.made: list[Any] = []  # objects of the interpreted program itself
        self.path: list[Any] = []  # conditions under which the program gets here
        self.lasting: dict[int, str] = {}  # containers that outlive the program, and their place
        self.around: tuple = ()  # the variables of two branches that are being merged
        self.holders = 0  # variables and attributes that are being merged: one or none
        self.assumptions = 0  # operations that raise unless something unknown is as it should be

    @property
    def frame(self) -> Frame:
        """The innermost call."""
        return self.frames[-1]

    def same_world(self, before: World) -> bool:
        """Return whether nothing that existed before has changed since."""
        now, made = self.world, {id(thing) for thing in self.made}
        if now.cursors != before.cursors:
            return False
        fresh = [w for w in now.all() if not before.touched(w) and id(w) not in made]
        if any(not isinstance(who, Reference) for who in fresh):
            return False
        return all(now.get(who) is before.get(who) for who in before.all())

    @contextlib.contextmanager
    def under(self, condition: Any) -> Iterator[None]:
        """Mark that the program only gets here if the condition holds."""
        if not isinstance(condition, Node):
            yield
            return
        self.path.append(condition)
        try:
            yield
        finally:
            self.path.pop()

    @abstractmethod
    def growing(self, contents: Any, capacity: int) -> Growing:
        """Represent a list as places and a count."""

    @abstractmethod
    def spread(self, function: Callable[..., Any], *args: Any) -> Any:
        """Apply a function to values that may be one of two."""

    @abstractmethod
    def evaluate(self, e: ast.expr, names: dict[str, Any]) -> Any:
        """Evaluate an expression."""

    @abstractmethod
    def execute(self, frame: Frame, node: Any, names: dict[str, Any], named: bool = True) -> Any:
        """Interpret a function's body and return what it returns."""

    @abstractmethod
    def is_ours(self, function: Any) -> bool:
        """Return whether a function belongs to the environment and must be interpreted."""

    @abstractmethod
    def call_function(self, function: Any, args: list, keywords: dict) -> Any:
        """Interpret a function."""

    @abstractmethod
    def handler(self, function: Any) -> Handler | None:
        """Return the handler of a Python builtin or NumPy function, or None."""

    @abstractmethod
    def call_method(self, owner: Any, name: str, args: list, keywords: dict[str, Any]) -> Any:
        """Call a method of a list, dict, array, text or generator."""

    @abstractmethod
    def block(self, statements: list[ast.stmt], names: dict[str, Any]) -> Flow:
        """Execute statements and return every way in which they end."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        """Assign a value to a name or a place."""

    @abstractmethod
    def append(self, who: Any, value: Any) -> None:
        """Append to a list."""
