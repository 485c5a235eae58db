"""Calls of the reference's functions, of library functions, and of methods of values."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import itertools
import random
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from envwright.agents.compiler.exactness import bare
from envwright.agents.compiler.interpreter import builtin_calls
from envwright.agents.compiler.interpreter.base import Frame
from envwright.agents.compiler.interpreter.containers import UNKNOWN, described, parts_of
from envwright.agents.compiler.interpreter.kept import Kept
from envwright.agents.compiler.interpreter.outlining import INLINE, Outlining
from envwright.agents.compiler.interpreter.source import source_of
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Choice, Method, Node, Poison, Reference, Text

# Of the framework: what does nothing to the game.
QUIET = {"reset", "close", "seed", "render", "__init__", "set_np_random"}
FINITE = (
    *(itertools.product, itertools.permutations, itertools.combinations, itertools.chain),
    *(itertools.combinations_with_replacement, itertools.accumulate, itertools.pairwise),
)
CACHED = functools._lru_cache_wrapper
NEVER = (delattr, vars, globals, locals, eval, exec, id, hash, open, object.__setattr__)
# Functions that only render or log.
SILENT = {"warn", "warning", "info", "debug", "error", "print", "exception"}
FRAMEWORK = ("gymnasium.core", "gymnasium.logger", "gymnasium.utils.seeding", "gymnasium.spaces")
NAMEABLE = ("binary", "unary", "where", "call")  # operations that may get a function's name
FOREIGN = ("numpy", "scipy")


@dataclass
class Closure:
    """A function that the interpreted program made."""

    node: Any
    names: dict[str, Any]
    frame: Frame
    signature: inspect.Signature
    bound: frozenset[str] = frozenset()  # variables of a comprehension around it


class Inner(dict):
    """Variables within a comprehension."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self.bound: set[str] = set(getattr(names, "bound", ()))


@dataclass
class Super:
    """`super()`: the remaining classes of the method resolution order."""

    owner: type
    instance: Any

    @property
    def kind(self) -> type:
        """The class whose order of bases counts."""
        return self.instance if isinstance(self.instance, type) else type(self.instance)

    def inherited(self, name: str) -> Any:
        """Return what the next class has under a name. The framework's own do nothing here."""
        line = self.kind.__mro__
        for cls in line[line.index(self.owner) + 1 :]:
            if name in cls.__dict__:
                return self._bound(cls.__dict__[name])
        raise Impossible(f"super() has no attribute {name}")

    def _bound(self, found: Any) -> Any:
        if isinstance(found, property):
            return found
        if isinstance(found, types.FunctionType):
            own = not isinstance(self.instance, type)
            return types.MethodType(found, self.instance) if own else found
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, self.kind)
        if isinstance(found, types.WrapperDescriptorType | types.BuiltinFunctionType):
            return _nothing  # object.__init__ and others
        return found


def _nothing(*args: Any, **keywords: Any) -> None:
    """Do nothing, like `object.__init__`."""


class Calls(Outlining):
    """The layer that interprets calls."""

    def _on_Call(self, e: ast.Call, names: dict) -> Any:
        if isinstance(e.func, ast.Name) and e.func.id == "super":
            return self._super(self.elements(e.args, names))
        function = self.evaluate(e.func, names)
        args = self.elements(e.args, names)
        keywords: dict[str, Any] = {}
        for keyword in e.keywords:
            value = self.evaluate(keyword.value, names)
            if keyword.arg is None:
                keywords |= self.contents(value)
            else:
                keywords[keyword.arg] = value
        return self.call(function, args, keywords)

    def is_silent(self, e: ast.Call, names: dict) -> bool:
        """Return whether a statement only draws a picture or writes a message."""
        name = e.func.attr if isinstance(e.func, ast.Attribute) else getattr(e.func, "id", "")
        if name.lstrip("_").startswith("render"):
            return True
        if name.lstrip("_") not in SILENT:
            return False
        function = self.evaluate(e.func, names)
        return not isinstance(function, Closure) and not self.is_ours(
            getattr(function, "__func__", function)
        )

    def elements(self, parts: list[ast.expr], names: dict) -> list:
        found: list[Any] = []
        for part in parts:
            if isinstance(part, ast.Starred):
                items = self.items(self.evaluate(part.value, names))
                if not isinstance(items, tuple):
                    raise Unsupported("* of a list of unknown length")
                found += items
            else:
                found.append(self.evaluate(part, names))
        return found

    def _super(self, args: list) -> Super:
        for frame in reversed(self.frames):
            if frame.owner is not None:
                if args and (args[0] is not frame.owner or args[1] is not frame.first):
                    raise Unsupported("super() with another class than its own", "leave it out")
                return Super(frame.owner, frame.first)
        raise Unsupported("super() outside of a method")

    def call(self, function: Any, args: list, keywords: dict[str, Any]) -> Any:
        """Call anything."""
        if isinstance(function, Poison):
            raise function.error
        if isinstance(function, Choice):
            return self.spread(lambda f: self.call(f, args, keywords), function)
        if isinstance(function, Method):
            return self.call_method(function.owner, function.name, args, keywords)
        if isinstance(function, Closure):
            return self._call_closure(function, args, keywords)
        if isinstance(getattr(function, "__self__", None), np.random.RandomState | random.Random):
            raise Unsupported(
                f"{function.__name__} of a random generator that is not the environment's own",
                "draw from self.np_random",
            )
        if isinstance(function, functools.partial):
            given = {**function.keywords, **keywords}
            return self.call(function.func, [*function.args, *args], given)
        if isinstance(function, types.MethodType):
            return self._call_bound(function, args, keywords)
        if isinstance(function, UNKNOWN):
            raise Unsupported(
                f"a call of {described(function)}", "call one of several functions with an if"
            )
        cached = function.__wrapped__ if isinstance(function, CACHED) else None
        own = getattr(type(function), "__call__", None)  # noqa: B004
        if self.is_ours(own):
            return self.call_function(own, [function, *args], keywords)
        if self.is_ours(cached):
            return self.call(cached, args, keywords)
        if function is seeding.np_random:
            return getattr(self.subject, "np_random", None), 0
        if isinstance(function, types.FunctionType) and self.is_ours(function):
            return self.call_function(function, args, keywords)
        return self._call_known(function, args, keywords)

    def _call_bound(self, method: types.MethodType, args: list, keywords: dict) -> Any:
        function, owner = method.__func__, method.__self__
        if isinstance(function, types.FunctionType) and self.is_ours(function):
            return self.call_function(function, [owner, *args], keywords)
        if isinstance(function, CACHED):
            raise Unsupported(f"the method {function.__name__} with a cache", "leave the cache out")
        if not _from(function, FRAMEWORK):
            return self.native(method, args, keywords)
        if function.__name__ == "contains":
            return self.in_space(owner, args[0])
        if function.__name__ in QUIET:
            return None
        raise Unsupported(
            f"{function.__name__} of {described(owner)}", "draw from self.np_random, and compare"
        )

    def in_space(self, space: Any, value: Any) -> bool:
        """Return whether a space contains a value: known ones, and every action of a step."""
        if self.is_known(value):
            return bool(space.contains(self.real(value)))
        if space is getattr(self.subject, "action_space", None) and self._is_action(value):
            return True
        raise Unsupported("whether a space contains a value", "compare with its bounds")

    def _is_action(self, value: Any) -> bool:
        if isinstance(value, tuple):
            return all(map(self._is_action, value))
        value = bare(value) if isinstance(value, Node) else self.settled(value)
        return isinstance(value, Node) and value.op == "input" and value.attrs[1] == "action"

    def _call_known(self, function: Any, args: list, keywords: dict) -> Any:
        if function is _nothing:
            return None
        handler = self.handler(function)
        everything = [*args, *keywords.values()]
        known = all(self.is_known(v) and not isinstance(v, Text) for v in everything)
        if handler is not None and (not known or handler in builtin_calls.ALWAYS):
            return handler(self, args, keywords)
        if isinstance(function, type):
            return self._construct(function, args, keywords, known)
        if known and not any(isinstance(v, np.random.Generator) for v in everything):
            return self.native(function, args, keywords)
        if isinstance(function, types.FunctionType):
            return self.call_function(function, args, keywords)
        name = getattr(function, "__name__", type(function).__name__)
        module = getattr(function, "__module__", "") or ""
        raise Unsupported(f"the call of {module}{'.' if module else ''}{name} with unknown values")

    def native(self, function: Callable, args: list, keywords: dict) -> Any:
        name, everything = getattr(function, "__name__", "?"), [*args, *keywords.values()]
        if not all(map(self.is_known, everything)):
            raise Unsupported(f"the call of {name} with unknown values")
        given_away = any(isinstance(v, Closure | types.MethodType) for v in everything)
        if given_away and function is not functools.partial:
            raise Unsupported(f"a function that is given to {name}", "write it as a loop")
        if function in NEVER:
            raise Unsupported(f"the call of {name}", "write what it does")
        if name == "rvs":
            raise Unsupported("a draw of scipy.stats", "draw from self.np_random")
        real = [self.real(a) for a in args]
        given = {k: self.real(v) for k, v in keywords.items()}
        kept = [Kept(v) for v in (getattr(function, "__self__", None), *real, *given.values())]
        try:
            found = function(*real, **given)
            if isinstance(found, np.ndarray):
                self.made.append(found)
            return self.new_list(found) if isinstance(found, FINITE) else found
        except Exception as error:
            raise Impossible(f"{type(error).__name__}: {error}") from error
        finally:
            changed = [one for one in kept if one.restored()]
            if changed:
                raise Unsupported(
                    f"the call of {name}, which changes {described(changed[0].thing)}",
                    "use a list or an array, and their methods",
                )

    # --- the reference's own functions ---------------------------------------------------------

    def is_ours(self, function: Any) -> bool:
        """Return whether a function belongs to the environment and must be interpreted."""
        if not isinstance(function, types.FunctionType):
            return False
        root = (getattr(function, "__module__", "") or "").partition(".")[0]
        return root not in sys.stdlib_module_names and not _from(function, (*FRAMEWORK, *FOREIGN))

    def call_function(self, function: Any, args: list, keywords: dict) -> Any:
        """Interpret a function."""
        if len(self.frames) > 60:
            raise Unsupported(
                f"{function.__qualname__}, which calls itself without an end in sight"
            )
        source = source_of(function)
        signature = inspect.signature(function, follow_wrapped=False)
        bound = self._bound(signature, args, keywords)
        given = set(bound.arguments)
        bound.apply_defaults()
        names = dict(bound.arguments)
        for name in names.keys() - given:
            self.note_lasting(names[name], f"a default of {function.__name__}")
        closure = dict(
            zip(function.__code__.co_freevars, map(_cell, function.__closure__ or ()), strict=False)
        )
        for name, value in closure.items():
            self.note_lasting(value, f"a variable around {function.__name__}, {name}")
        owner = closure.get("__class__") or _owner(function, args)
        frame = Frame(source, function.__globals__, closure, owner, args[0] if args else None)
        kept = self.outlined(function, frame, names, given)
        return self.execute(frame, source.node, names) if kept is INLINE else kept

    def _bound(self, signature: inspect.Signature, args: list, keywords: dict) -> Any:
        try:
            return signature.bind(*args, **keywords)
        except TypeError as error:
            raise Impossible(str(error)) from error

    def execute(self, frame: Frame, node: Any, names: dict[str, Any], named: bool = True) -> Any:
        self.frames.append(frame)
        before, made = set(self.world.heap), len(self.made)
        try:
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body, names)
            if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node)):
                raise Unsupported(f"the generator {node.name}", "return a list")
            flow = self.block(node.body, names)
            ended = flow.get("return")
            if "next" in flow:
                last = dataclasses.replace(flow["next"], value=None)
                ended = last if ended is None else self.joined(ended, last)
            if ended is None:
                raise Impossible(f"{node.name} always raises")
            self.world = ended.world
            if named:
                self._call_it(ended.value, node.name)
            return self._without_base(ended.value, before, self.made[made:])
        finally:
            self.frames.pop()

    def _without_base(self, value: Any, before: set[int], made: list[Any]) -> Any:
        """Return an array of its own if what it shows was made in the call and is gone after it."""
        if not isinstance(value, Reference) or not value.views:
            return value
        held = [part for who in self.world.all() for part in parts_of(self.world.get(who))]
        for base, _ in value.views:
            own = isinstance(base, Reference) and id(base) not in before
            own = own or any(base is one for one in made)
            if not own or any(part is base for part in held):
                return value
        return self.new(value.kind, self.contents(value))

    def _call_it(self, value: Any, name: str) -> None:
        """Name a function's result after the function, unless it has a better name."""
        value = bare(value) if isinstance(value, Node) else value
        if name.startswith("__"):
            return
        if isinstance(value, Node) and not value.hint and value.op in NAMEABLE:
            value.hint = name.strip("_")

    def closure(self, node: Any, names: dict) -> Closure:
        """Make a function. Its defaults are evaluated now, its variables when it is called."""
        bound = frozenset(getattr(names, "bound", ()))
        return Closure(node, names, self.frame, _signature(node, self, names), bound)

    def _call_closure(self, made: Closure, args: list, keywords: dict) -> Any:
        bound = self._bound(made.signature, args, keywords)
        bound.apply_defaults()
        around = made.names if made.frame.current is None else made.frame.current
        own = {name: made.names[name] for name in made.bound if name in made.names}
        scope = {**made.frame.closure, **around, **own}
        if not any(frame is made.frame for frame in self.frames):
            self._refuse_changed_variables(made, around)
        frame = dataclasses.replace(made.frame, closure=scope, owner=None, current=None)
        return self.execute(frame, made.node, dict(bound.arguments))

    def _refuse_changed_variables(self, made: Closure, around: dict) -> None:
        """Reject a function whose maker has returned, if it is not clear what its variables are."""
        for part in ast.walk(made.node):
            if isinstance(part, ast.Name) and around.get(part.id) is not made.names.get(part.id):
                raise Unsupported(
                    f"a function that uses the variable {part.id}, which changed after it was made",
                    "pass it as an argument",
                )

    # --- classes ---------------------------------------------------------------------------------

    def _construct(self, cls: type, args: list, keywords: dict, known: bool) -> Any:
        if issubclass(cls, BaseException):
            return Text()
        if issubclass(cls, enum.Enum):
            if known:
                return self.native(cls, args, keywords)
            if issubclass(cls, int):
                return args[0]  # the number itself
            raise Unsupported(f"a member of {cls.__name__} of an unknown value", "use an IntEnum")
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return cls(*args, **keywords)
        if not self.is_ours(getattr(cls, "__init__", None)):
            if known:
                return self.native(cls, args, keywords)
            raise Unsupported(f"a {cls.__name__} of unknown values")
        if cls.__new__ is not object.__new__:
            raise Unsupported(f"a {cls.__name__}, which is made by a __new__ of its own")
        instance = object.__new__(cls)
        self.made.append(instance)
        self.world.put(instance, {})
        if dataclasses.is_dataclass(cls):
            self._fill_dataclass(instance, cls, args, keywords)
        else:
            self.call_function(cls.__init__, [instance, *args], keywords)
        return instance

    def _fill_dataclass(self, instance: Any, cls: type, args: list, keywords: dict) -> None:
        names = [field.name for field in dataclasses.fields(cls)]
        fields = dict(zip(names, args, strict=False))
        for field in dataclasses.fields(cls):
            if field.name in keywords:
                fields[field.name] = keywords[field.name]
            elif field.name not in fields:
                made = field.default_factory
                fields[field.name] = field.default if made is dataclasses.MISSING else made()
        self.world.put(instance, fields)
        post = getattr(cls, "__post_init__", None)
        if post is not None:
            self.call_function(post, [instance], {})


def _signature(node: Any, machine: Calls, names: dict) -> inspect.Signature:
    """Return the signature of an interpreted function, with its defaults evaluated now."""
    a, kind = node.args, inspect.Parameter
    defaults = [machine.evaluate(d, names) for d in a.defaults]
    padded = [kind.empty] * (len(a.posonlyargs + a.args) - len(defaults)) + defaults
    found = [
        kind(p.arg, kind.POSITIONAL_OR_KEYWORD, default=d)
        for p, d in zip(a.posonlyargs + a.args, padded, strict=True)
    ]
    if a.vararg:
        found.append(kind(a.vararg.arg, kind.VAR_POSITIONAL))
    for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        value = kind.empty if d is None else machine.evaluate(d, names)
        found.append(kind(p.arg, kind.KEYWORD_ONLY, default=value))
    if a.kwarg:
        found.append(kind(a.kwarg.arg, kind.VAR_KEYWORD))
    return inspect.Signature(found)


def _from(function: Any, roots: tuple[str, ...]) -> bool:
    module = getattr(function, "__module__", "") or ""
    return any(f"{module}.".startswith(f"{root}.") for root in roots)


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _owner(function: Any, args: list) -> type | None:
    """Return the class that defines a method."""
    name = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    for cls in type(args[0]).__mro__ if args else ():
        if cls.__name__ == name:
            return cls
    return None
