"""What lists, dicts, sets and arrays hold, and which of it is known."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.base import Interpreter
from envwright.agents.compiler.interpreter.world import Span
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Method,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    plain,
    tuple_like,
)

SEVERAL = {"list": "lists", "dict": "dicts", "set": "sets", "array": "arrays"}
UNKNOWN = (Node, Choice, Table, Growing, Ragged, Poison, Text, Span, Method)


class Containers(Interpreter):
    """The layer that knows what containers hold."""

    def contents(self, value: Any) -> Any:
        """Return what a list, dict or array holds now."""
        if isinstance(value, Reference | list | dict | set | np.ndarray):
            self._refuse_stale(value)
            return self.world.get(value)
        return value

    def put(self, who: Any, contents: Any) -> None:
        """Change a list, dict, set or array in place."""
        if id(who) in self.lasting:
            raise Unsupported(
                f"a change of {described(who)} that outlives the step, in {self.lasting[id(who)]}",
                "keep it in an attribute of the environment that reset sets",
            )
        if isinstance(who, Node):
            raise Unsupported(
                "writing to an array that has no name", "give it a name, or write to it itself"
            )
        if isinstance(who, Reference) and who.borrowed and not who.views:
            raise Unsupported(
                f"a change of one of two {SEVERAL.get(who.kind, who.kind)}, chosen by a condition",
                "change each of them in its own branch",
            )
        if isinstance(who, Reference) and who.borrowed:
            raise Unsupported(
                "writing to a part of an array through another name", "write to it itself"
            )
        self.world.put(who, contents)

    def note_lasting(self, value: Any, where: str) -> None:
        """Remember containers that exist before and after the interpreted program."""
        todo = [value]
        while todo:
            one = todo.pop()
            if isinstance(one, list | dict | set | np.ndarray) and id(one) not in self.lasting:
                self.lasting[id(one)] = where
                if isinstance(one, list | dict):
                    todo += one.values() if isinstance(one, dict) else one
            elif isinstance(one, tuple):
                todo += one

    def view(self, found: Any, owner: Any) -> Any:
        """Return an array that shares the memory of another one."""
        if not self.is_array(owner) or not np.ndim(example(found)) or self._is_nameless(owner):
            return found
        views = owner.views if isinstance(owner, Reference) else ()
        made = self.new("array", found, borrowed=True)
        made.views = views or ((owner, self.world.get(owner)),)
        return made

    def _is_nameless(self, array: Any) -> bool:
        """Return whether nothing refers to an array any more that the program just made."""
        if not isinstance(array, Reference) and not any(array is one for one in self.made):
            return False
        if getattr(array, "views", ()):
            return False
        names = [frame.current or {} for frame in self.frames]
        held = [*names, *(self.world.get(who) for who in self.world.all())]
        return not any(part is array for contents in held for part in parts_of(contents))

    def _refuse_stale(self, value: Any) -> None:
        """Reject reading a view after the array that it shows has changed."""
        for base, held in getattr(value, "views", ()):
            if self.world.get(base) is not held:
                raise Unsupported(
                    "a part of an array under another name, read after the array has changed",
                    "take a copy, or read the array itself",
                )

    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray) or reference_to("array", value)

    def is_list(self, value: Any) -> bool:
        return isinstance(value, list) or reference_to("list", value)

    def is_dict(self, value: Any) -> bool:
        return isinstance(value, dict) or reference_to("dict", value)

    def is_set(self, value: Any) -> bool:
        return isinstance(value, set) or reference_to("set", value)

    def is_known(self, value: Any) -> bool:
        """Return whether every part of a value is known."""
        if isinstance(value, UNKNOWN):
            return False
        if isinstance(value, tuple):
            return all(map(self.is_known, value))
        if isinstance(value, Reference | list | dict | np.ndarray | set):
            contents = self.contents(value)
            if isinstance(contents, np.ndarray):
                return True
            if isinstance(contents, dict):
                return all(map(self.is_known, contents.values()))
            return not isinstance(contents, UNKNOWN) and all(map(self.is_known, contents))
        if isinstance(value, slice):
            return all(map(self.is_known, (value.start, value.stop, value.step)))
        return not self.world.touched(value)  # else the object itself does not show its attributes

    def real(self, value: Any) -> Any:
        """Return a known value as a Python object."""
        if isinstance(value, Poison):
            raise value.error
        if isinstance(value, UNKNOWN):
            advice = "use numbers in place of texts" if isinstance(value, Text) else ""
            raise Unsupported(f"{described(value)} where a known value is needed", advice)
        if isinstance(value, tuple):
            return tuple_like(value, [self.real(v) for v in value])
        if isinstance(value, slice):
            if not self.is_known(value):
                raise Unsupported("a slice with unknown bounds", "use a mask")
            return slice(*(self.real(v) for v in (value.start, value.stop, value.step)))
        if not self._is_changed(value):
            return plain(value)
        contents = self.contents(value)
        if isinstance(contents, np.ndarray):
            return contents
        if isinstance(contents, dict):
            return {k: self.real(v) for k, v in contents.items()}
        if isinstance(contents, UNKNOWN):
            return self.real(contents)
        made = [self.real(v) for v in contents]
        return set(made) if self.is_set(value) else made

    def _is_changed(self, value: Any) -> bool:
        """Return whether a value, or a part of it, is not as it really was."""
        if isinstance(value, Reference):
            return True
        if not isinstance(value, list | dict | set | np.ndarray):
            return False
        parts = value.values() if isinstance(value, dict) else value
        nested = isinstance(value, list | dict) and any(map(self._is_changed, parts))
        return nested or self.world.touched(value)

    def new(self, kind: str, contents: Any, borrowed: bool = False) -> Reference:
        """Create an object of the interpreted program."""
        made = Reference(kind, borrowed)
        self.world.put(made, contents)
        return made

    def new_list(self, items: Any) -> Reference:
        return self.new("list", items if isinstance(items, Growing | Ragged) else tuple(items))


def reference_to(kind: str, value: Any) -> bool:
    """Return whether a value is a reference to a list, dict, set or array."""
    return isinstance(value, Reference) and value.kind == kind


def described(value: Any) -> str:
    """Name a value as people do."""
    names = {
        Node: "an unknown number or array",
        Choice: "one of two values of different kinds",
        Table: "one of several containers",
        Growing: "a list of unknown length",
        Ragged: "a list of unknown length",
        Text: "an unknown text",
        Span: "a range with unknown bounds",
        Method: "a method of an unknown value",
    }
    if isinstance(value, Reference):
        return f"a {value.kind}"
    if isinstance(value, type | ModuleType):
        return value.__name__
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    return "None" if value is None else names.get(type(value), f"{article} {kind}")


def parts_of(contents: Any) -> Any:
    """Return what a dict or tuple holds directly."""
    if isinstance(contents, dict):
        return contents.values()
    return contents if isinstance(contents, tuple) else ()
