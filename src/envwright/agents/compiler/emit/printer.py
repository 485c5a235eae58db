"""Print nodes as lines of Python: named values in source order, the rest inline."""

from __future__ import annotations

import keyword
import math
import textwrap
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from envwright.agents.compiler.emit.constants import Constants
from envwright.agents.compiler.emit.loops import define_loop, used_by
from envwright.agents.compiler.exactness import (
    bare,
    is_constant,
    joined_inside,
    mixed,
    needs_exact,
    surely_a_number,
    would_be_joined,
)
from envwright.agents.compiler.functions import functions_below
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import Node, free_name, is_float, is_number, nodes_in

RESERVED = {
    "state", "action", "noise", "params", "key", "self", "jax", "jnp", "np", "replace", "rounded",
    "scalar_power", "exact_div", "math", "Any", "State", "Params", "Env", "advance", "observe",
    "start", "float", "bool", "int", "min", "max", "sum", "abs", "inputs", "dtype", "lax",
}  # fmt: skip
# Names at the top of a module, which no helper can have.
TOP_LEVEL = RESERVED | {"first_state", "following", "advance_from_start", "updated", "partial"}
PRECEDENCE = {
    "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "//": 9, "%": 9,
    "@": 9, "**": 11, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3,
}  # fmt: skip
ATOM, UNARY = 12, 10
NAMELESS = ("input", "table", "variable", "out", "part", "same")
WIDTH = 96

Key = int | tuple[int, int]  # a node by its id, or a result of a loop or call by its number


class Printer:
    """Prints the body of a function: its lines and the texts of its results."""

    def __init__(
        self,
        constants: Constants,
        given: dict[int, str] | None = None,
        taken: Iterable[str] = (),
        indent: int = 1,
    ) -> None:
        self.constants = constants
        self.given = given or {}  # nodes that have a text already
        self.lines: list[str] = []
        self.inputs: set[str] = set()  # inputs that were read
        self.groups: set[str] = set()  # kinds of inputs that were read
        self.taken = set(taken) | RESERVED
        self.names: dict[Key, str] = {}
        self._holders: dict[str, Node] = {}
        self.last: dict[int, float] = {}
        self.indent = indent
        self._parts: dict[int, dict[int, Node]] = {}  # the used ones of a call's several results
        self.functions: set[str] = set()  # names of functions that are called
        self.loops: set[str] = set()  # names of loops around this function, and of its own
        self.outs: dict[Key, str] = {}  # results of loops and calls outside of this function

    # --- the whole ---------------------------------------------------------------------------

    def hold(self, names: dict[str, Node]) -> None:
        """Reserve parameter names until their last use."""
        self._holders |= names

    def body(self, roots: Iterable[Any]) -> None:
        """Write lines for every named value that the results need."""
        results = nodes_in(tuple(roots))
        order = self._reachable(results)
        self.functions |= {function.name for function in functions_below(results)}
        for node in order:
            if node.op == "part":
                self._parts.setdefault(id(node.args[0]), {})[node.attrs[0]] = node
        uses = Counter(id(child) for node in order for child in self._children(node))
        uses.update(id(bare(root)) for root in results)
        chosen = [n for n in order if self._deserves_a_name(n, uses[id(n)])]
        chosen.sort(key=lambda n: n.number)
        self._plan(chosen, results)
        for place, node in enumerate(chosen):
            self._define(node, place)

    def text(self, value: Any, level: int = 0) -> str:
        """Format a value, in parentheses if it binds less tightly than `level`."""
        found, binding = self._expression(value)
        return f"({found})" if binding < level else found

    # --- which nodes ---------------------------------------------------------------------------

    def _children(self, node: Node) -> list[Node]:
        if node.op == "while":
            return [bare(n) for n in used_by(node)]
        return [bare(n) for n in nodes_in(node.args)]

    def _reachable(self, roots: list[Node]) -> list[Node]:
        found: dict[int, Node] = {}
        todo = [bare(r) for r in roots]
        while todo:
            node = todo.pop()
            if id(node) in found or self._is_given(node):
                continue
            found[id(node)] = node
            todo += self._children(node)
        return list(found.values())

    def _is_given(self, node: Node) -> bool:
        if node.op in ("out", "part") and (id(node.args[0]), node.attrs[0]) in self.outs:
            return True
        return id(node) in self.given

    def _deserves_a_name(self, node: Node, uses: int) -> bool:
        if self._is_given(node) or node.op in NAMELESS:
            return False
        if node.op == "while" or id(node) in self._parts:
            return True
        if node.op == "index" and node.args[0].op == "input" and not node.hint:
            return False
        if node.op == "cast" and bare(node.args[0]).op == "input" and not node.hint:
            return False
        return bool(node.hint) or uses > 1

    def _plan(self, chosen: list[Node], results: list[Node]) -> None:
        """Determine the last use of each named value."""
        places = {id(n): k for k, n in enumerate(chosen)}
        for place, node in enumerate(chosen):
            for leaf in self._named_below(self._children(node), places):
                self.last[leaf] = place
        for leaf in self._named_below([bare(r) for r in results], places):
            self.last[leaf] = math.inf

    def _named_below(self, nodes: list[Node], places: dict[int, int]) -> set[int]:
        found: set[int] = set()
        todo, seen = list(nodes), set()
        while todo:
            node = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if self._is_given(node) or id(node) in places:
                found.add(id(node))
            elif node.op in ("out", "part"):
                found.add(id(node.args[0]))
            else:
                todo += self._children(node)
        return found

    # --- definitions ---------------------------------------------------------------------------

    def _define(self, node: Node, place: int) -> None:
        if node.op == "while":
            define_loop(self, node, place)
            return
        if id(node) in self._parts:
            self._define_parts(node, place)
            return
        text = self._inline(node)[0]
        name = self.new_name(node.hint or _guess(node), node, place)
        if node.comment:
            self._remark(node.comment)
        self.line(f"{name} = {text}")
        self.names[id(node)] = name

    def _define_parts(self, call: Node, place: int) -> None:
        """Name the used ones of several results."""
        text, used = self._inline(call)[0], self._parts[id(call)]
        for part in used.values():
            if part.comment:
                self._remark(part.comment)
        names = []
        for number, result in enumerate(call.attrs[0].results):
            part = used.get(number)
            if part is None:
                names.append("_")
                continue
            wanted = part.hint or getattr(result, "hint", "") or f"{call.attrs[0].name}_{number}"
            names.append(self.new_name(wanted, call, place))
            self.names[(id(call), number)] = names[-1]
        left = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
        self.line(f"{left} = {text}")

    def new_name(self, wanted: str, node: Node, place: float) -> str:
        base = wanted.strip("_") or "value"
        base = f"{base}_" if keyword.iskeyword(base) else base
        base = f"{base}_value" if base in self.functions else base
        name = free_name(base, lambda name: not self._is_free(name, place))
        self._holders[name] = node
        return name

    def _is_free(self, name: str, place: float) -> bool:
        if name in self.taken | self.functions | self.constants.names:
            return False
        holder = self._holders.get(name)
        return holder is None or self.last.get(id(holder), -1) <= place

    def _remark(self, words: str) -> None:
        pad = "    " * self.indent
        self.lines += textwrap.wrap(
            words, WIDTH, initial_indent=f"{pad}# ", subsequent_indent=f"{pad}# "
        )

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    # --- expressions ---------------------------------------------------------------------------

    def _expression(self, value: Any) -> tuple[str, int]:
        if isinstance(value, Node):
            value = bare(value)
            if id(value) in self.given:
                return self.given[id(value)], ATOM
            if id(value) in self.names:
                return self.names[id(value)], ATOM
            return self._inline(value)
        if isinstance(value, tuple | list):
            return f"[{', '.join(self.text(v) for v in value)}]", ATOM
        if isinstance(value, np.ndarray):
            # Bare, JAX 0.10 mixes up its dtypes when one process traces with x64 and without.
            return f"jnp.asarray({self._known_array(value)})", ATOM
        if is_number(value):
            text = self.constants.number(value)
            return text, UNARY if text.startswith("-") else ATOM
        if value is None:
            return "None", ATOM
        if isinstance(value, str):
            return repr(value), ATOM
        raise Unsupported(f"a {type(value).__name__} in arithmetic")

    def _known_array(self, value: np.ndarray) -> str:
        made = Node("table", (), (), value, 0)
        self._kept = [*getattr(self, "_kept", []), made]  # its identity is a name
        return self.constants.table(made)

    def _inline(self, node: Node) -> tuple[str, int]:
        return getattr(self, f"_write_{node.op}")(node)

    def _write_input(self, node: Node) -> tuple[str, int]:
        self.groups.add(node.attrs[1])
        self.inputs.add(node.attrs[0])
        return node.attrs[0], ATOM

    def _write_undrawn(self, node: Node) -> tuple[str, int]:
        raise Unsupported(
            f"a draw of {node.attrs[0]} that decides something and that bridge.py does not pass on",
            "draw in step or reset only, and keep what an observation needs in the state",
        )

    def _write_variable(self, node: Node) -> tuple[str, int]:
        raise Unsupported("a variable of a loop outside of it")

    def _write_out(self, node: Node) -> tuple[str, int]:
        key = (id(node.args[0]), node.attrs[0])
        return self.names.get(key) or self.outs[key], ATOM

    def _write_part(self, node: Node) -> tuple[str, int]:
        key = (id(node.args[0]), node.attrs[0])
        known = self.names.get(key) or self.outs.get(key)
        return known or f"{self.text(node.args[0])}[{node.attrs[0]}]", ATOM

    def _write_invoke(self, node: Node) -> tuple[str, int]:
        function = node.attrs[0]
        self.constants.call(function.one)
        parts = [
            self._rounded(a) if joined_inside(node, place) else self.text(a)
            for place, a in enumerate(node.args)
        ]
        return f"{function.name}({', '.join(parts)})", ATOM

    def _write_gathered(self, node: Node) -> tuple[str, int]:
        call = node.args[0]
        if id(call) not in self._parts:
            return f"jnp.array({self.text(call)}, {node.attrs[0]})", ATOM
        parts = [
            self.names.get((id(call), k)) or self.text(r)
            for k, r in enumerate(call.attrs[0].results)
        ]
        return f"jnp.array([{', '.join(parts)}], {node.attrs[0]})", ATOM

    def _write_table(self, node: Node) -> tuple[str, int]:
        value, counted = node.like, np.arange(node.like.size)
        if value.dtype.kind in "iu" and np.array_equal(value, counted):
            return f"jnp.arange({value.size})", ATOM
        return f"jnp.asarray({self.constants.table(node)})", ATOM

    def _write_binary(self, node: Node) -> tuple[str, int]:
        symbol, (a, b) = node.attrs[0], node.args
        if symbol == "/" and is_float(node) and needs_exact(b) and not is_constant(node):
            return f"exact_div({self._operand(a, node, 0)}, {self.text(b)})", ATOM
        level = PRECEDENCE[symbol]
        left = self._operand(a, node, level if level != 3 else 4)
        right = self._operand(b, node, level + 1 if symbol != "**" else UNARY)
        if symbol == "**":
            left = self.text(a, ATOM)
        return f"{left} {symbol} {right}", level

    def _operand(self, value: Any, parent: Node, level: int) -> str:
        """Format an operand, kept apart if a compiler would fuse it with its user."""
        apart = isinstance(value, Node) and is_float(parent) and not is_constant(value)
        if apart and would_be_joined(value, parent):
            return self._rounded(value)
        return self.text(value, level)

    def _rounded(self, value: Node) -> str:
        known = surely_a_number(value) or (value.shape and mixed(value))
        whole = ", whole=True" if known else ""
        return f"rounded({self.text(value)}{whole})"

    def _write_unary(self, node: Node) -> tuple[str, int]:
        return f"{node.attrs[0]}{self.text(node.args[0], UNARY + 1)}", UNARY

    def _write_where(self, node: Node) -> tuple[str, int]:
        return f"jnp.where({', '.join(self.text(a) for a in node.args)})", ATOM

    def _write_cast(self, node: Node) -> tuple[str, int]:
        inner = bare(node.args[0])
        text = self.text(inner, ATOM)
        if inner.op == "input" and inner.attrs[1] in ("option", "action", "parameter"):
            return f"jnp.asarray({text}, {node.attrs[0]})", ATOM
        return f"{text}.astype({node.attrs[0]})", ATOM

    def _write_same(self, node: Node) -> tuple[str, int]:
        return self._expression(node.args[0])

    def _write_call(self, node: Node) -> tuple[str, int]:
        name, keywords = node.attrs
        parts = [
            self._shape(a) if name == "jnp.full" and k == 0 else self.text(a)
            for k, a in enumerate(node.args)
        ]
        parts += [f"{k}={v!r}" for k, v in keywords]
        return f"{name}({', '.join(parts)})", ATOM

    def _shape(self, shape: Any) -> str:
        return repr(tuple(int(n) for n in np.atleast_1d(shape)))

    def _write_index(self, node: Node) -> tuple[str, int]:
        base, index = node.args
        return f"{self.text(base, ATOM)}[{self._index(index)}]", ATOM

    def _write_set(self, node: Node) -> tuple[str, int]:
        base, index, value = node.args
        return f"{self.text(base, ATOM)}.at[{self._index(index)}].set({self.text(value)})", ATOM

    def _index(self, index: tuple) -> str:
        parts = [self._index_part(i) for i in index]
        return ", ".join(parts) if parts else "..."

    def _index_part(self, part: Any) -> str:
        if isinstance(part, slice):
            ends = ["" if v is None else self.text(v) for v in (part.start, part.stop)]
            step = "" if part.step is None else f":{self.text(part.step)}"
            return f"{ends[0]}:{ends[1]}{step}"
        return "..." if part is Ellipsis else self.text(part)

    def _write_array(self, node: Node) -> tuple[str, int]:
        return f"jnp.array({self.text(node.args[0])}, {node.attrs[0]})", ATOM


def _guess(node: Node) -> str:
    """Return a name for a value that has none in the source."""
    if node.op == "invoke":
        return f"{node.attrs[0].name}_value"
    if node.op == "set":
        return node.args[0].hint or "value"
    if node.op == "call":
        return node.attrs[0].rpartition(".")[2] + "_value"
    if node.op == "binary" and node.dtype.kind == "b":
        return "condition"
    if node.op == "unary" and node.dtype.kind == "b":
        return "otherwise"
    return {"where": "chosen", "cast": "converted", "index": "element", "array": "array"}.get(
        node.op, "value"
    )
