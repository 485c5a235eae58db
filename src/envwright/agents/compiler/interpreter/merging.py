"""Merge two branches of the interpreted program."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.interpreter.containers import parts_of
from envwright.agents.compiler.interpreter.draws import Draws
from envwright.agents.compiler.interpreter.world import MISSING, Exit, World
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    is_numeric,
    plain,
    tuple_like,
)


class Merging(Draws):
    """The layer that merges branches."""

    def joined(self, early: Exit, late: Exit) -> Exit:
        """Merge two exits."""
        condition = self.graph.either(early.condition, late.condition)
        return self.merged_exits(early.condition, early, late, condition)

    def merged_exits(self, condition: Any, a: Exit, b: Exit, reached: Any) -> Exit:
        """Return `a` if the condition holds, else `b`."""
        if condition is True:
            return a
        world = self.merged_worlds(condition, a.world, b.world)
        names = {}
        self.around = (a.names, b.names)
        for name in [*a.names, *(n for n in b.names if n not in a.names)]:
            one, other = a.names.get(name, MISSING), b.names.get(name, MISSING)
            self.holders = 1  # this variable
            names[name] = self._merge(condition, one, other, (a.world, b.world, world), name)
        self.holders = 0
        value = self._merge(condition, a.value, b.value, (a.world, b.world, world), "")
        self.around = ()
        return Exit(reached, names, world, value)

    def merged_worlds(self, condition: Any, a: World, b: World) -> World:
        """Merge the contents of all objects."""
        world = World()
        worlds = (a, b, world)
        for who in [*a.all(), *(w for w in b.all() if not a.touched(w))]:
            one, other = a.get(who), b.get(who)
            if one is other or other is MISSING or one is MISSING:
                world.put(who, one if other is MISSING or one is other else other)
            elif isinstance(one, dict) and not isinstance(who, dict | Reference):
                world.put(who, self._merged_attributes(condition, who, one, other, worlds))
            else:
                world.put(who, self._merged_contents(condition, one, other, worlds, who))
        for channel in {**a.cursors, **b.cursors}:
            counts = (a.cursors.get(channel, 0), b.cursors.get(channel, 0))
            world.cursors[channel] = self._merge(condition, *counts, worlds, f"{channel}_used")
        return world

    def _merged_attributes(self, c: Any, who: Any, one: dict, other: dict, worlds: tuple) -> dict:
        made = {}
        for name in {**one, **other}:
            real = getattr(who, name, MISSING) if not isinstance(who, type) else MISSING
            values = (one.get(name, real), other.get(name, real))
            self.holders = 1  # this attribute
            if who is self.subject and (name not in one or name not in other):
                self.partly.add(name)
            made[name] = self._merge(c, *values, worlds, name)
        self.holders = 0
        return made

    def _merged_contents(self, c: Any, one: Any, other: Any, worlds: tuple, who: Any) -> Any:
        if isinstance(one, dict) and isinstance(other, dict):
            if list(one) != list(other):
                raise Unsupported("a dict that gets keys under a condition", "give it all keys")
            return {k: self._merge(c, one[k], other[k], worlds, str(k)) for k in one}
        if isinstance(one, frozenset) and isinstance(other, frozenset):
            if one != other:
                raise Unsupported("a set that changes under a condition", "use an array of truths")
            return one
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            pairs = zip(one, other, strict=True)
            return tuple(self._merge(c, a, b, worlds, "") for a, b in pairs)
        if isinstance(one, tuple | Growing) and isinstance(other, tuple | Growing):
            return self._merged_lists(c, one, other, getattr(who, "capacity", 0))
        if all(isinstance(v, Node | np.ndarray) for v in (one, other)):
            if np.shape(example(one)) != np.shape(example(other)):
                raise Unsupported("an array whose shape depends on a condition")
            return self.graph.where(c, one, other)
        return self._merge(c, one, other, worlds, "")

    def _merged_lists(self, c: Any, one: Any, other: Any, capacity: int) -> Growing:
        sizes = [v.capacity if isinstance(v, Growing) else len(v) for v in (one, other)]
        size = max(*sizes, capacity)
        a, b = (self.growing(v, size) for v in (one, other))
        filled = {v.rows for v in (a, b) if v.rows}
        if len(filled) > 1 or a.places.shape != b.places.shape:
            raise Unsupported("a list of unknown length with elements of several kinds")
        places = self.graph.where(c, a.places, b.places)
        return Growing(places, self.graph.where(c, a.count, b.count), max(filled, default=""))

    def growing(self, contents: Any, capacity: int) -> Growing:
        """Represent a list as places and a count."""
        graph = self.graph
        if isinstance(contents, Growing):
            missing = capacity - contents.capacity
            if missing <= 0:
                return contents
            zeros = np.zeros((missing, *contents.places.shape[1:]), contents.places.dtype)
            like = np.concatenate([contents.places.like, zeros])
            parts = (contents.places, graph.constant(zeros, "NOTHING"))
            places = graph.call("jnp.concatenate", (parts,), like)
            return Growing(places, contents.count, contents.rows)
        resolved = [self.resolved(item) for item in contents]
        items = [self.sequence_as_array(item) for item in resolved]
        likes = [np.asarray(example(item)) for item in items] or [np.zeros((), np.int64)]
        numbers = all(like.dtype.kind in "biuf" for like in likes)
        if len({like.shape for like in likes}) > 1 or not numbers:
            raise Unsupported(
                "a list of unknown length with elements of several kinds",
                "keep numbers in it, or tuples of numbers of one length",
            )
        rows = {self._row_kind(item) for item in resolved} if likes[0].shape else {""}
        padding = [np.zeros_like(likes[0]).tolist()] * (capacity - len(items))
        dtype = np.result_type(*(like.dtype for like in likes))
        places = graph.array([*items, *padding], dtype)
        if len(rows) > 1:
            raise Unsupported("a list of unknown length with elements of several kinds")
        return Growing(places, len(items), rows.pop())

    # --- values ----------------------------------------------------------------------------

    def merge(self, condition: Any, a: Any, b: Any, hint: str = "") -> Any:
        """Merge two values in the current world."""
        return self._merge(condition, a, b, (self.world,) * 3, hint)

    def _merge(self, c: Any, a: Any, b: Any, worlds: tuple, hint: str) -> Any:
        if not isinstance(c, Node):
            return a if c else b
        if a is b or b is MISSING or isinstance(a, Poison):
            return a
        if a is MISSING or isinstance(b, Poison):
            return b
        a, b = decided(c, a, True), decided(c, b, False)
        if _same_known(a, b):
            return a
        if isinstance(a, Text | str) and isinstance(b, Text | str):
            return Text()
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            pairs = zip(a, b, strict=True)
            return tuple_like(a, [self._merge(c, x, y, worlds, hint) for x, y in pairs])
        if all(isinstance(v, Reference | list | dict | set | np.ndarray) for v in (a, b)):
            return self._merged_references(c, a, b, worlds)
        if isinstance(a, Table) or isinstance(b, Table):
            a, b = self.resolved(a), self.resolved(b)
        if isinstance(a, Reference) and isinstance(b, Node) and a.kind == "array":
            a = worlds[0].get(a)
        if isinstance(b, Reference) and isinstance(a, Node) and b.kind == "array":
            b = worlds[1].get(b)
        if self.alike(a, b):
            node = self.graph.where(c, a, b)
            if isinstance(node, Node) and hint and not node.hint:
                node.hint = hint
            return node
        return Choice(c, a, b)

    def _is_shared(self, who: Any, world: World, side: int) -> bool:
        """Return whether more than the merged variable or attribute refers to a container."""
        outer = [frame.current or {} for frame in self.frames]
        names = [*outer[:-1], self.around[side]] if self.around else outer
        held = [*names, *(world.get(other) for other in world.all())]
        count = sum(part is who for contents in held for part in parts_of(contents))
        return count > self.holders

    def _merged_references(self, c: Any, a: Any, b: Any, worlds: tuple) -> Any:
        kind = reference_kind(a)
        if kind != reference_kind(b):
            return Choice(c, a, b)
        made = Reference(kind)
        made.borrowed = any(getattr(v, "borrowed", False) for v in (a, b))
        made.borrowed |= self._is_shared(a, worlds[0], 0) or self._is_shared(b, worlds[1], 1)
        made.views = tuple(view for v in (a, b) for view in getattr(v, "views", ()))
        merged = self._merged_contents(c, worlds[0].get(a), worlds[1].get(b), worlds, made)
        worlds[2].put(made, merged)
        return made

    def alike(self, a: Any, b: Any) -> bool:
        """Return whether two numbers fit one array without changing later arithmetic."""
        if not is_numeric(a) or not is_numeric(b):
            return False
        words = {kinds.word_of(v) for v in (a, b)}
        if len(words) == 1:
            return True
        # Python's numbers take the dtype of a float32 that they meet, a float64 does not.
        return not any(w.startswith("jnp.float") or w == kinds.TRUTH for w in words)


def decided(condition: Node, value: Any, holds: bool) -> Any:
    """Decide choices by the same condition."""
    while isinstance(value, Choice) and value.condition is condition:
        value = value.yes if holds else value.no
    return value


def reference_kind(value: Any) -> str:
    """Return list, dict, set or array."""
    if isinstance(value, Reference):
        return value.kind
    kinds_ = {list: "list", dict: "dict", set: "set", np.ndarray: "array"}
    return next(word for kind, word in kinds_.items() if isinstance(value, kind))


def _same_known(a: Any, b: Any) -> bool:
    """Return whether both are known and equal."""
    unknown = (Node, Choice, Table, Reference, Growing, Ragged)
    if isinstance(a, unknown) or isinstance(b, unknown) or type(plain(a)) is not type(plain(b)):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, float | np.floating):
        return repr(plain(a)) == repr(plain(b))  # 0.0 is not -0.0
    if not isinstance(a, bool | int | str | bytes | Enum | np.generic | frozenset):
        return False
    return bool(a == b)
