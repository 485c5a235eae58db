"""Helpers of the reference that stay functions: interpreted once per kind of arguments.

A call stays a call if it changes nothing, draws nothing and returns numbers, arrays, or tuples,
lists and dicts of them. Its arguments and the attributes that it reads become parameters. Every
other call is interpreted inline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from envwright.agents.compiler import exactness
from envwright.agents.compiler.functions import (
    ARGUMENT,
    ATTRIBUTE,
    Function,
    Helpers,
    Origin,
    loops_below,
    nodes_below,
)
from envwright.agents.compiler.interpreter.base import Frame
from envwright.agents.compiler.interpreter.containers import UNKNOWN
from envwright.agents.compiler.interpreter.merging import Merging, reference_kind
from envwright.agents.compiler.interpreter.world import World, things_in
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Growing,
    NamedFloat,
    Node,
    Reference,
    example,
    free_name,
    is_number,
    plain,
    tuple_like,
)

INLINE = object()  # a call that is interpreted inline
CONTAINERS = (list, dict, set, np.ndarray)
VIEWS = ("jnp.transpose", "jnp.ravel", "jnp.reshape", "jnp.squeeze")


class Unfit(Exception):
    """The call cannot stay a call; with `always`, whatever its arguments."""

    def __init__(self, always: bool = False) -> None:
        super().__init__()
        self.always = always


class StandIns:
    """Parameters in place of a call's unknown arguments, and what they stand for."""

    def __init__(self, machine: Merging, function: Callable, constants: frozenset[str]) -> None:
        self._machine, self._function = machine, function
        self._constants = constants  # arguments whose known floats become parameters too
        self.world: World = machine.world.copy()
        self.names: dict[str, Any] = {}
        self.arguments: dict[Node, Any] = {}
        self.origins: dict[Node, Origin] = {}
        self.references: set[int] = set()

    def take(self, names: dict[str, Any]) -> Hashable:
        """Replace all arguments and return their kind."""
        known = []
        for name, value in names.items():
            before = len(self.arguments)
            self.names[name] = self._of(value, Origin(ARGUMENT, name), name in self._constants)
            if len(self.arguments) == before:
                known.append((name, _described(value)))
        kinds = tuple((*node.attrs, type(node.like)) for node in self.arguments)
        for value in {id(value): value for value in names.values()}.values():
            self._take_attributes(value)
        return self._function, kinds, tuple(known)

    def _take_attributes(self, owner: Any) -> None:
        held = self.world.get(owner) if self.world.touched(owner) else None
        if isinstance(owner, Reference | list | dict | set | np.ndarray) or not held:
            return
        made = {}
        for name, value in held.items():
            try:
                made[name] = self._of(value, Origin(ATTRIBUTE, name), False)
            except Unfit:
                made[name] = value
        self.world.put(owner, made)

    def _of(self, value: Any, origin: Origin, constant: bool) -> Any:
        machine = self._machine
        if isinstance(value, Node):
            return self._parameter(value, origin)
        if type(value) in (float, NamedFloat):
            usable = constant and math.isfinite(value)
            return self._parameter(value, origin) if usable else value
        plain_object = not isinstance(value, (*UNKNOWN, *CONTAINERS, Reference, tuple))
        if plain_object or machine.is_known(value):
            return value  # an object's attributes are replaced apart
        if isinstance(value, tuple):
            names = getattr(value, "_fields", range(len(value)))
            parts = [self._part(v, origin, k, constant) for k, v in zip(names, value, strict=True)]
            return tuple_like(value, parts)
        if isinstance(value, Reference):
            return self._reference(value, origin, constant)
        raise Unfit

    def _part(self, value: Any, origin: Origin, key: Any, constant: bool) -> Any:
        return self._of(value, Origin(origin.kind, origin.name, (*origin.path, key)), constant)

    def _reference(self, value: Reference, origin: Origin, constant: bool) -> Reference:
        held = self._machine.world.get(value)
        if isinstance(held, Node):
            contents: Any = self._parameter(held, origin)
        elif isinstance(held, Growing):
            places = self._parameter(held.places, origin)
            contents = Growing(places, self._part(held.count, origin, "count", False), held.rows)
        elif isinstance(held, tuple):
            contents = tuple(self._part(v, origin, k, constant) for k, v in enumerate(held))
        elif isinstance(held, dict):
            contents = {k: self._part(v, origin, k, constant) for k, v in held.items()}
        else:
            raise Unfit
        made = Reference(value.kind, value.borrowed, value.capacity)
        made.label = value.label
        self.references.add(id(made))
        self.world.put(made, contents)
        return made

    def _parameter(self, argument: Any, origin: Origin) -> Node:
        like = example(argument)
        array = np.asarray(like)
        trait = ""
        if exactness.is_constant(argument):
            trait = exactness.CONSTANT
        elif array.ndim and array.dtype.kind == "f" and exactness.mixed(argument):
            trait = exactness.MIXED
        elif array.dtype.kind == "f" and exactness.surely_a_number(argument):
            trait = exactness.WHOLE
        group = "parameter" if exactness.varies(argument) else "option"
        text = free_name(origin.word, {node.attrs[0] for node in self.arguments}.__contains__)
        owner = self._function.__qualname__
        attrs = (text, group, array.dtype.str, array.shape, owner, trait)
        node = self._machine.graph.node("input", (), attrs, like)
        self.arguments[node] = argument
        self.origins[node] = origin
        return node


class Outlining(Merging):
    """The layer that keeps calls of helpers."""

    def outlined(self, function: Callable, frame: Frame, names: dict, given: set[str]) -> Any:
        """Return the result as a call, or INLINE."""
        again = any(f.source is frame.source for f in self.frames)
        if self.helpers is None or not self.frames or again or function in self.refused:
            return INLINE
        if function.__name__ == "<lambda>" or function.__name__.startswith("__"):
            return INLINE
        floats = {n for n in given if type(names[n]) in (float, NamedFloat)}
        ways = [frozenset(floats), frozenset()] if floats else [frozenset()]
        refused = 0
        for constants in ways:
            try:
                return self._kept(self.helpers, function, frame, names, constants)
            except Unfit as unfit:
                refused += unfit.always
            except (Impossible, Unsupported, RecursionError):
                continue
        if refused == len(ways):
            self.refused.add(function)
        return INLINE

    def _kept(
        self, helpers: Helpers, function: Callable, frame: Frame, names: dict, constants: frozenset
    ) -> Any:
        stand_ins = StandIns(self, function, constants)
        sign = stand_ins.take(names)
        if not stand_ins.arguments or not helpers.admits(sign):
            raise Unfit
        value, after, results = self._tried(function, frame, names, stand_ins)
        loops = loops_below(results)
        if loops and self.path:
            raise Unfit  # a loop must know whether its branch is taken
        if loops and constants:
            # A loop whose rounds follow from constants is better unrolled.
            known = StandIns(self, function, frozenset())
            known.take(names)
            if loops_below(self._tried(function, frame, names, known)[2]) < loops:
                raise Unfit
        made = helpers.one(self._function(function, sign, stand_ins, value, results))
        return self._called(made, stand_ins, value, after)

    def _tried(self, function: Callable, frame: Frame, names: dict, stand_ins: StandIns) -> tuple:
        """Return what the function returns, the world afterwards, and the numbers in the result."""
        kept = self.world, self.path, self.remark, self.laws, self.channels, self.loop_dtypes
        made = len(self.made)
        self.world, self.path, self.laws, self.loop_dtypes = stand_ins.world.copy(), [], [], {}
        self.channels = list(self.channels)
        try:
            value = self.execute(frame, frame.source.node, dict(stand_ins.names), named=False)
            after, results = self.world, []
            if self.laws:
                raise Unfit(always=True)
            mine = {id(thing) for thing in self.made[made:]}
            self._refuse_changes(function, names, stand_ins.world, after, mine)
            self._copied(value, after, stand_ins.references, results.append)
            self._refuse_captured(results, stand_ins)
            return value, after, tuple(results)
        finally:
            self.world, self.path, self.remark, self.laws, self.channels, self.loop_dtypes = kept

    def _refuse_changes(
        self, function: Callable, names: dict, start: World, after: World, mine: set[int]
    ) -> None:
        if start.cursors != after.cursors:
            raise Unfit(always=True)
        fresh = [w for w in after.all() if not start.touched(w) and not isinstance(w, Reference)]
        fresh = [w for w in fresh if id(w) not in mine]
        if any(after.get(w) is not start.get(w) for w in after.all() if start.touched(w)):
            raise Unfit(always=True)
        if not fresh:
            return
        held = {*things_in(self.subject), *map(id, function.__globals__.values())}
        held |= set(map(id, names.values()))
        if any(not isinstance(w, CONTAINERS) or id(w) in held for w in fresh):
            raise Unfit(always=True)

    def _refuse_captured(self, results: list, stand_ins: StandIns) -> None:
        """Reject functions that use outside values or return what is not their own."""
        if not any(isinstance(r, Node) and not _is_given(r, stand_ins) for r in results):
            raise Unfit
        if any(isinstance(r, Node) and r.shape and _may_be_shared(r) for r in results):
            raise Unfit
        if any(isinstance(r, Node) and exactness.is_constant(r) for r in results):
            raise Unfit  # known values need no call
        own: set[int] = set()
        used: set[int] = set()
        for node in nodes_below(results):
            if node.op == "while":
                own |= set(map(id, node.args[1]))
            elif node.op == "variable":
                used.add(id(node))
            elif node.op == "undrawn" or (node.op == "input" and node not in stand_ins.arguments):
                raise Unfit
            if exactness.is_constant(node) and not exactness.is_folded(node):
                raise Unfit
        if used - own:
            raise Unfit

    def _copied(self, value: Any, world: World, given: set[int], take: Callable) -> Any:
        """Copy a result, replacing its numbers."""
        if isinstance(value, Node) or is_number(value):
            return take(value)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, tuple):
            return tuple_like(value, [self._copied(v, world, given, take) for v in value])
        if isinstance(value, Reference) or (isinstance(value, CONTAINERS) and world.touched(value)):
            if id(value) in given or getattr(value, "borrowed", False):
                raise Unfit
            made = Reference(reference_kind(value), capacity=getattr(value, "capacity", 0))
            held = world.get(value)
            self.world.put(made, self._copied_contents(held, world, {*given, id(value)}, take))
            return made
        raise Unfit

    def _copied_contents(self, held: Any, world: World, given: set[int], take: Callable) -> Any:
        if isinstance(held, Growing):
            return Growing(take(held.places), take(held.count), held.rows)
        if isinstance(held, dict):
            return {k: self._copied(v, world, given, take) for k, v in held.items()}
        if isinstance(held, np.ndarray):
            return held
        if isinstance(held, Node | tuple):
            return self._copied(held, world, given, take)
        raise Unfit

    def _function(
        self, source: Callable, sign: Hashable, stand_ins: StandIns, value: Any, results: tuple
    ) -> Function:
        used = {id(node) for node in nodes_below(results)}
        parameters = [node for node in stand_ins.arguments if id(node) in used]
        if all(exactness.is_constant(stand_ins.arguments[node]) for node in parameters):
            raise Unfit
        origins = tuple(stand_ins.origins[node] for node in parameters)
        single = len(results) == 1 and not isinstance(value, tuple) and not self.is_list(value)
        return Function(source, sign, tuple(parameters), origins, results, single)

    def _called(self, function: Function, stand_ins: StandIns, value: Any, after: World) -> Any:
        graph = self.graph
        args = tuple(stand_ins.arguments[node] for node in function.parameters)
        like = function.results[0].like if function.single else None
        call = graph.node("invoke", args, (function,), like)
        places = iter(range(len(function.results)))

        def take(_: Any) -> Any:
            place = next(places)
            result = function.results[place]
            if not isinstance(result, Node):
                return result
            if _is_given(result, stand_ins):
                given = stand_ins.arguments[exactness.bare(result)]
                return graph.renamed(given, result.like) if isinstance(given, Node) else given
            node = call
            if not function.single:
                node = graph.node("part", (call,), (place,), result.like)
            node.product = result.product
            return node

        made = self._copied(value, after, set(), take)
        # An array gets its identity when it gets a name.
        return self.settled(made) if isinstance(made, Reference) else made


def _is_given(result: Node, stand_ins: StandIns) -> bool:
    """Return whether a result is just an argument."""
    return exactness.bare(result) in stand_ins.arguments


def _may_be_shared(node: Node) -> bool:
    """Return whether NumPy would return a view of an argument."""
    while True:
        if node.op == "input":
            return True
        basic = node.op == "index" and not any(isinstance(i, Node) for i in node.args[1])
        if not (basic or node.op == "same" or (node.op == "call" and node.attrs[0] in VIEWS)):
            return False
        node = node.args[0]


def _described(value: Any) -> str:
    """Describe a known argument."""
    if is_number(value) or isinstance(value, str) or value is None:
        return repr(plain(value))
    return type(value).__name__
