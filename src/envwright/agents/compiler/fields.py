"""The reference's state as unknown values, and back as fields of the translated state."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.exactness import bare
from envwright.agents.compiler.facts import Facts
from envwright.agents.compiler.interpreter import Machine
from envwright.agents.compiler.interpreter.world import MISSING
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Choice, Growing, Node, Reference

LARGE = 64  # elements of an array that are recognised one by one


def unknown_state(machine: Machine, facts: Facts, first: bool = False) -> dict[str, Any]:
    """Return the reference's attributes as values that are read from `state`.

    Their types are those after a step, or those of the `first` state.
    """
    examples = facts.begun if first else facts.examples
    return {name: _unknown(machine, facts, name, example) for name, example in examples.items()}


def _unknown(m: Machine, facts: Facts, dotted: str, example: Any) -> Any:
    ours = facts.fields_of(dotted)
    if ours is None and isinstance(example, tuple):
        parts = enumerate(example)
        return tuple(_unknown(m, facts, f"{dotted}.{k}", part) for k, part in parts)
    if ours is None:
        raise Unsupported(
            f"the attribute {dotted}, for which the state has no field",
            "give it a field in translation.toml and bridge.py",
        )
    if isinstance(ours, tuple):
        flat = np.ravel(example)
        items = [_read(m, name, item) for name, item in zip(ours, flat, strict=True)]
        return _as_it_was(m, items, example)
    if dotted in facts.places:
        return _growing(m, facts, dotted, ours)
    if isinstance(example, np.ndarray):
        return m.new("array", _read(m, ours, example))
    if isinstance(example, list | tuple):
        whole = m.graph.input(f"state.{ours}", np.asarray(example), "state")
        return _elements(m, whole, example)
    return _read(m, ours, example)


def _read(m: Machine, name: str, example: Any) -> Node:
    """Read a field. The program keeps floats in one dtype, whatever the reference has."""
    dtype = np.asarray(example).dtype
    if dtype.kind != "f" or dtype.itemsize >= 8:
        return m.graph.input(f"state.{name}", example, "state")
    wide = np.asarray(example).astype(np.float64)[()]
    node = m.graph.cast(m.graph.input(f"state.{name}", wide, "state"), dtype)
    node.hint = name
    return node


def _as_it_was(m: Machine, items: list, example: Any) -> Any:
    if isinstance(example, np.ndarray):
        return m.new("array", m.graph.array(items, example.dtype))
    own = [m.graph.renamed(i, e) for i, e in zip(items, example, strict=True)]
    return tuple(own) if isinstance(example, tuple) else m.new_list(own)


def _elements(m: Machine, whole: Node, example: Any) -> Any:
    found = []
    for place, part in enumerate(example):
        item = m.graph.index(whole, (place,))
        if isinstance(part, list | tuple):
            found.append(_elements(m, item, part))
        else:
            found.append(m.graph.renamed(item, part))
    return tuple(found) if isinstance(example, tuple) else m.new_list(found)


def _growing(m: Machine, facts: Facts, dotted: str, ours: str) -> Reference:
    dtype, shape = facts.sizes[dotted]
    capacity = facts.places[dotted]
    like = np.zeros((capacity, *shape[1:]), dtype)
    made = Reference("list", capacity=capacity)
    made.label = ours
    places = m.graph.input(f"state.{ours}", like, "state")
    count = m.graph.input(f"state.{ours}_count", 1, "state")
    m.world.put(made, Growing(places, count, facts.rows.get(dotted, "")))
    return made


# --- back ----------------------------------------------------------------------------------------


def known_fields(m: Machine, facts: Facts, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the state from the current attributes."""
    found: dict[str, Any] = {}
    for name in facts.examples:
        value = attributes.get(name, MISSING)
        if value is MISSING:
            value = getattr(facts.env, name)
        found |= _fields(m, facts, name, value, facts.examples[name])
    return found


def _fields(m: Machine, facts: Facts, dotted: str, value: Any, example: Any) -> dict[str, Any]:
    ours = facts.fields_of(dotted)
    if ours is None:
        parts = m.items(value)
        return {
            k: v
            for place, part in enumerate(parts)
            for k, v in _fields(m, facts, f"{dotted}.{place}", part, example[place]).items()
        }
    if isinstance(ours, tuple):
        return {name: m.number(m.element(value, k)) for k, name in enumerate(ours)}
    if dotted in facts.places:
        held = m.growing(m.contents(value), facts.places[dotted])
        if held.capacity > facts.places[dotted]:
            places = m.graph.index(held.places, (slice(0, facts.places[dotted]),))
            held = Growing(places, held.count, held.rows)
        return {ours: held.places, f"{ours}_count": held.count}
    if value is None or _may_be_none(value):
        raise Unsupported(
            f"the attribute {dotted}, which becomes None", "use a number that it never has, like -1"
        )
    return {ours: m.number(value)}


def _may_be_none(value: Any) -> bool:
    if isinstance(value, Choice):
        return _may_be_none(value.yes) or _may_be_none(value.no)
    return value is None


def seen_as(m: Machine, fields: dict[str, Any]) -> dict[int, str]:
    """Return values that are in the state after a step, by how to read them."""
    found: dict[int, str] = {}
    for name, value in fields.items():
        if not isinstance(value, Node):
            continue
        _see(found, value, f"state.{name}")
        _see_counter(found, value, name)
        if value.shape and np.prod(value.shape) <= LARGE:
            for place in np.ndindex(value.shape):
                try:
                    item = m.graph.index(value, place)
                except Impossible:
                    continue
                if isinstance(item, Node):
                    _see(found, item, f"state.{name}[{', '.join(map(str, place))}]")
    return found


def _see_counter(found: dict[int, str], value: Node, name: str) -> None:
    """Register the earlier value of a counter, which follows from its later one."""
    value = bare(value)
    if value.op != "binary" or value.attrs[0] not in "+-" or value.dtype.kind not in "iu":
        return
    before, by = value.args
    if not isinstance(before, Node) or isinstance(by, Node) or np.ndim(by):
        return
    if before.op == "input" and before.attrs[0] == f"state.{name}":
        back = "-" if value.attrs[0] == "+" else "+"
        found.setdefault(id(before), f"(state.{name} {back} {int(by)})")


def _see(found: dict[int, str], node: Node, text: str) -> None:
    """Register a node and the node that it only converts."""
    while True:
        narrow = kinds.word_of(node).startswith("jnp.float")
        found.setdefault(id(node), f"{text}.astype({kinds.word_of(node)})" if narrow else text)
        if node.op != "same":
            return
        node = node.args[0]
