"""Loops whose rounds are not known: `jax.lax.while_loop` and two functions of what it carries."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from envwright.agents.compiler import kinds
from envwright.agents.compiler.values import Node, nodes_in


class Loops:
    """The part of the printer that writes loops."""

    def _define_loop(self, loop: Node, place: int) -> None:
        starts, variables, going, ends = loop.args
        number = 1
        label = "loop"
        while label in self._taken:
            number += 1
            label = f"loop_{number}"
        self._taken.add(label)
        self._loops.add(label)
        before = _packed(self._carried(starts, variables))
        self._function(f"{label}_goes_on", variables, [going], False)
        self._function(f"{label}_body", variables, list(ends), True)
        names = [self._name(variable.attrs[0], loop, place) for variable in variables]
        for number, name in enumerate(names):
            self._names[(id(loop), number)] = name  # type: ignore[index]
        self._line(
            f"{', '.join(names)} = jax.lax.while_loop({label}_goes_on, {label}_body, {before})"
        )

    def _carried(self, values: Iterable[Any], variables: tuple) -> list[str]:
        return [
            f"jnp.asarray({self.text(value)}, {kinds.word_of(variable)})"
            for value, variable in zip(values, variables, strict=True)
        ]

    def _function(self, name: str, variables: tuple, results: list, carries: bool) -> None:
        """A function of what a loop carries: one variable as such, several in a tuple."""
        inside = type(self)(self.constants, dict(self.given), self._used(results), self._indent + 1)
        for node_id, text in self._names.items():
            if isinstance(node_id, int):
                inside.given[node_id] = text
        inside.outs = dict(self.outs)
        inside.outs |= {k: v for k, v in self._names.items() if not isinstance(k, int)}
        inside._functions |= self._functions
        inside._loops |= self._loops
        names = []
        for variable in variables:
            names.append(inside._name(variable.attrs[0], variable, -1))
            inside._last[id(variable)] = math.inf  # until its last use is known
            inside.given[id(variable)] = names[-1]
        if self.lines[-1:] != [""]:
            self.lines.append("")
        if len(names) == 1:
            self._line(f"def {name}({names[0]}):")
        else:
            self._line(f"def {name}(carry):")
            inside._line(f"{', '.join(names)} = carry")
        for variable in variables:
            inside._last.pop(id(variable))
        inside.body(results)
        given = _packed(inside._carried(results, variables)) if carries else ""
        inside._line(f"return {given or inside.text(results[0])}")
        self.lines += [*inside.lines, ""]
        self.inputs |= inside.inputs
        self.groups |= inside.groups

    def _used(self, results: list) -> set[str]:
        """Names of this function that are used for results inside of it."""
        texts, todo, seen = [], nodes_in(results), set()
        while todo:
            node = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            key = (id(node.args[0]), node.attrs[0]) if node.op in ("out", "part") else id(node)
            known = self.given.get(id(node)) or self._names.get(key)  # type: ignore[arg-type]
            known = known or self.outs.get(key)
            if known or node.op == "input":
                texts.append(known or node.attrs[0])
            else:
                todo += nodes_in(node.args)
        return {*self._loops, *re.findall(r"[A-Za-z_]\w*", " ".join(texts))}


def used_by(loop: Node) -> list[Node]:
    """The nodes that a loop begins with, and those outside of it that it uses."""
    starts, variables, going, ends = loop.args
    inner = _depending(variables, (going, *ends))
    outer: list[Node] = []
    for part in (going, *ends):
        _outside(part, inner, set(map(id, variables)), outer, set())
    return [*nodes_in(starts), *outer]


def _packed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _depending(variables: tuple, roots: tuple) -> set[int]:
    """Nodes below the roots that depend on a loop's variables."""
    found = set(map(id, variables))
    known: dict[int, bool] = {i: True for i in found}

    def depends(node: Node) -> bool:
        if id(node) not in known:
            known[id(node)] = False
            known[id(node)] = any([depends(n) for n in nodes_in(node.args)])
        return known[id(node)]

    for root in nodes_in(roots):
        depends(root)
    return {i for i, yes in known.items() if yes}


def _outside(value: Any, inner: set[int], variables: set[int], found: list, seen: set[int]) -> None:
    """The nodes that a loop uses and that do not change in it."""
    for node in nodes_in(value):
        if id(node) in seen or id(node) in variables:
            continue
        seen.add(id(node))
        if id(node) in inner:
            _outside(node.args, inner, variables, found, seen)
        else:
            found.append(node)
