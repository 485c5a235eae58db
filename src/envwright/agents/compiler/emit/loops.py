"""Print loops with an unknown number of rounds as `jax.lax.while_loop`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from envwright.agents.compiler import kinds
from envwright.agents.compiler.values import Node, free_name, nodes_in

if TYPE_CHECKING:
    from envwright.agents.compiler.emit.printer import Printer


def define_loop(printer: Printer, loop: Node, place: int) -> None:
    """Write a loop and name its results."""
    starts, variables, going, ends = loop.args
    label = free_name("loop", printer.taken.__contains__)
    printer.taken.add(label)
    printer.loops.add(label)
    before = _packed(_carried(printer, starts, variables))
    _function(printer, f"{label}_goes_on", variables, [going], False)
    _function(printer, f"{label}_body", variables, list(ends), True)
    names = [printer.new_name(variable.attrs[0], loop, place) for variable in variables]
    for number, name in enumerate(names):
        printer.names[(id(loop), number)] = name
    printer.line(
        f"{', '.join(names)} = jax.lax.while_loop({label}_goes_on, {label}_body, {before})"
    )


def _carried(printer: Printer, values: Iterable[Any], variables: tuple) -> list[str]:
    return [
        f"jnp.asarray({printer.text(value)}, {kinds.word_of(variable)})"
        for value, variable in zip(values, variables, strict=True)
    ]


def _function(printer: Printer, name: str, variables: tuple, results: list, carries: bool) -> None:
    """Write a function of a loop's carry: a single variable, or a tuple of several."""
    inside = type(printer)(
        printer.constants, dict(printer.given), _used(printer, results), printer.indent + 1
    )
    inside.outs = dict(printer.outs)
    for key, text in printer.names.items():
        if isinstance(key, int):
            inside.given[key] = text
        else:
            inside.outs[key] = text
    inside.functions |= printer.functions
    inside.loops |= printer.loops
    names = []
    for variable in variables:
        names.append(inside.new_name(variable.attrs[0], variable, -1))
        inside.last[id(variable)] = math.inf  # until its last use is known
        inside.given[id(variable)] = names[-1]
    if printer.lines[-1:] != [""]:
        printer.lines.append("")
    if len(names) == 1:
        printer.line(f"def {name}({names[0]}):")
    else:
        printer.line(f"def {name}(carry):")
        inside.line(f"{', '.join(names)} = carry")
    for variable in variables:
        inside.last.pop(id(variable))
    inside.body(results)
    given = _packed(_carried(inside, results, variables)) if carries else ""
    inside.line(f"return {given or inside.text(results[0])}")
    printer.lines += [*inside.lines, ""]
    printer.inputs |= inside.inputs
    printer.groups |= inside.groups


def _used(printer: Printer, results: list) -> set[str]:
    """Return the names of this function that results inside the loop use."""
    texts, todo, seen = [], nodes_in(results), set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        key = (id(node.args[0]), node.attrs[0]) if node.op in ("out", "part") else id(node)
        known = printer.given.get(id(node)) or printer.names.get(key)
        known = known or printer.outs.get(key)
        if known or node.op == "input":
            texts.append(known or node.attrs[0])
        else:
            todo += nodes_in(node.args)
    return {*printer.loops, *re.findall(r"[A-Za-z_]\w*", " ".join(texts))}


def used_by(loop: Node) -> list[Node]:
    """Return a loop's start values and the outside nodes that it uses."""
    starts, variables, going, ends = loop.args
    inner = _depending(variables, (going, *ends))
    outer: list[Node] = []
    for part in (going, *ends):
        _outside(part, inner, outer, set(map(id, variables)))
    return [*nodes_in(starts), *outer]


def _packed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _depending(variables: tuple, roots: tuple) -> set[int]:
    """Return nodes below the roots that depend on a loop's variables."""
    known = {id(variable): True for variable in variables}

    def depends(node: Node) -> bool:
        if id(node) not in known:
            known[id(node)] = False
            known[id(node)] = any([depends(n) for n in nodes_in(node.args)])
        return known[id(node)]

    for root in nodes_in(roots):
        depends(root)
    return {i for i, yes in known.items() if yes}


def _outside(value: Any, inner: set[int], found: list, seen: set[int]) -> None:
    """Collect the nodes that a loop uses without changing them."""
    for node in nodes_in(value):
        if id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in inner:
            _outside(node.args, inner, found, seen)
        else:
            found.append(node)
