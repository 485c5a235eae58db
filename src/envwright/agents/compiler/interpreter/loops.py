"""Loops: unrolled if the number of rounds is known, otherwise a `while_loop`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.statements import Statements
from envwright.agents.compiler.interpreter.world import MISSING, Exit, Flow, Span, World
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Ragged,
    Reference,
    example,
    is_number,
)

MOST = 20_000  # rounds of a loop that is unrolled
LIVE = ("enumerate", "zip", "reversed", "iter")
TRIES = 6  # rounds of analysis until the changed places are known


class Loops(Statements):
    """The layer that interprets loops."""

    # --- for -----------------------------------------------------------------------------------

    def _do_For(self, s: ast.For, names: dict) -> Flow:
        value = self.evaluate(s.iter, names)
        if isinstance(value, Span):
            return self._counted(s, value, names)
        items, count = self.items_or_ragged(value), None
        if isinstance(items, Ragged):
            items, count = items.items, items.count
        flow: Flow = {}
        condition: Any = True
        sources = [(who, self.world.get(who)) for who in self._sources(s.iter, names)]
        for number, item in enumerate(items):
            step = self._round(s, names, number, item, count)
            following = self._after_round(flow, step, condition)
            if following is None:
                condition = False
                break
            self._go_on(names, following)
            for who, held in sources:
                self._refuse_changed_items(held, self.world.get(who), number)
            condition = self.graph.both(condition, following.condition)
        return self._ended(s, flow, names, condition)

    def _sources(self, e: ast.expr, names: dict) -> list[Any]:
        """Return the containers over which a loop goes while its body runs."""
        if isinstance(e, ast.Name | ast.Attribute):
            value = self.evaluate(e, names)
            kinds = (self.is_list, self.is_dict, self.is_set, self.is_array)
            return [value] if any(is_kind(value) for is_kind in kinds) else []
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in LIVE:
            return [who for part in e.args for who in self._sources(part, names)]
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and not e.args:
            if e.func.attr in ("items", "values", "keys"):
                return self._sources(e.func.value, names)
        return []

    def _refuse_changed_items(self, held: Any, now: Any, number: int) -> None:
        """Reject a body that changes what later rounds are to get."""
        if now is held:
            return
        later: list[tuple[Any, Any]] = []
        if isinstance(held, dict) and isinstance(now, dict) and list(held) == list(now):
            later = list(zip(held.values(), now.values(), strict=True))[number + 1 :]
        elif isinstance(held, tuple) and isinstance(now, tuple) and len(held) == len(now):
            later = list(zip(held, now, strict=True))[number + 1 :]
        elif isinstance(held, Node | np.ndarray) and isinstance(now, Node | np.ndarray):
            places = range(number + 1, len(example(held)))
            later = [(self.graph.index(held, (k,)), self.graph.index(now, (k,))) for k in places]
        else:
            later = [(held, now)]
        if any(a is not b and not _same_number(a, b) for a, b in later):
            raise Unsupported("changing a list while a loop goes over it", "go over a copy of it")

    def _round(self, s: ast.For, names: dict, number: int, item: Any, count: Any) -> Flow:
        here = self.graph.compare("<", number, count) if count is not None else True
        if not isinstance(here, Node):
            self.assign(s.target, item, names)
            return self.block(s.body, names)
        inside = dict(names)
        before = self.world
        self.world = before.copy()
        self.assign(s.target, item, inside)
        try:
            with self.under(here):
                yes = self.block(s.body, inside)
        except Impossible:
            self.assumptions += 1
            yes = {}
        self.world = before
        no: Flow = {"break": Exit(True, dict(names), before)}
        return self.forked(here, yes, no)

    def _after_round(self, flow: Flow, step: Flow, condition: Any) -> Exit | None:
        """Return where the next round begins: after the body or after `continue`."""
        going = step.pop("continue", None)
        following = self._collect(flow, step, condition)
        if going is not None:
            following = going if following is None else self.joined(going, following)
        return following

    def _ended(self, s: Any, flow: Flow, names: dict, condition: Any) -> Flow:
        """Execute `else` after the last round. A `break` skips it."""
        rest = self.block(s.orelse, names) if condition is not False else {}
        return self._left(flow, rest, condition)

    def _left(self, flow: Flow, rest: Flow, condition: Any) -> Flow:
        """Return how a loop ends: after `rest`, which follows its last round, or by `break`."""
        following = self._collect(flow, rest, condition)
        if following is not None:
            flow["next"] = self.reached(condition, following)
        broken = flow.pop("break", None)
        if broken is not None:
            flow["next"] = self.joined(broken, flow["next"]) if "next" in flow else broken
        return flow

    def _counted(self, s: ast.For, span: Span, names: dict) -> Flow:
        """Interpret `for i in range(unknown)` with a counter."""
        counter = f"{getattr(s.target, 'id', 'i')}_next"
        names[counter] = span.start
        compare = "<" if span.step > 0 else ">"

        def test(inside: dict) -> Any:
            return self.compared(compare, inside[counter], span.stop)

        def body(inside: dict) -> Flow:
            self.assign(s.target, inside[counter], inside)
            inside[counter] = self.binary("+", inside[counter], span.step)
            return self.block(s.body, inside)

        flow = self._unknown_loop(test, body, names)
        if s.orelse:
            raise Unsupported(
                "else of a loop with an unknown number of rounds", "remember why it ended"
            )
        return flow

    # --- while ---------------------------------------------------------------------------------

    def _do_While(self, s: ast.While, names: dict) -> Flow:
        flow: Flow = {}
        condition: Any = True
        for _ in range(MOST):
            test = self.truth(self.evaluate(s.test, names))
            if isinstance(test, Node):
                if s.orelse:
                    raise Unsupported(
                        "else of a loop with an unknown number of rounds", "remember why it ended"
                    )
                rest = self._unknown_loop(
                    lambda inside: self.evaluate(s.test, inside),
                    lambda inside: self.block(s.body, inside),
                    names,
                )
                return self._left(flow, rest, condition)
            if not test:
                return self._ended(s, flow, names, condition)
            following = self._after_round(flow, self.block(s.body, names), condition)
            if following is None:
                return self._ended(s, flow, names, False)
            self._go_on(names, following)
            condition = self.graph.both(condition, following.condition)
            if isinstance(condition, Node) and isinstance(s.test, ast.Constant):
                return self._endless(s, flow, condition, names)
        raise Unsupported(f"a loop of more than {MOST} rounds")

    def _endless(self, s: ast.While, flow: Flow, condition: Node, names: dict) -> Flow:
        """Interpret the later rounds of `while True`, whose first one may have ended it."""
        with self.under(condition):
            rest = self._unknown_loop(
                lambda inside: True, lambda inside: self.block(s.body, inside), names
            )
        return self._left(flow, rest, condition)

    # --- loops that the program keeps ------------------------------------------------------------

    def _unknown_loop(
        self, test: Callable[[dict], Any], body: Callable[[dict], Flow], names: dict
    ) -> Flow:
        """Build a `while_loop` over everything that the body changes."""
        before, kept = self.world, dict(names)
        places: list[tuple] = []
        for _ in range(TRIES):
            attempt = self._attempt(test, body, before, kept, places)
            fresh = [p for p in attempt.changed if p not in places]
            places += fresh
            if not fresh and not self._grew(attempt, places):
                return self._built(attempt, before, kept, places, names)
        raise Unsupported("a loop whose variables do not settle")

    def _attempt(
        self, test: Callable, body: Callable, before: World, kept: dict, places: list
    ) -> _Attempt:
        """Interpret one round with the known places as variables."""
        names, world = dict(kept), before.copy()
        packs = {place: self._packed(_read(place, kept, before), place) for place in places}
        variables = {
            place: [
                self._variable(place, pack, number, leaf) for number, leaf in enumerate(pack.leaves)
            ]
            for place, pack in packs.items()
        }
        self.world = world
        for place, pack in packs.items():
            self._store(place, pack.rebuild(self, variables[place]), names, world)
        start_names, start_world = dict(names), world.copy()
        self.frame.current = names
        going = self.truth(test(names))
        same = names.keys() == start_names.keys()
        same = same and all(names[k] is start_names[k] for k in names)
        if not same or not self.same_world(start_world):
            raise Unsupported(
                "a loop of unknown length whose condition draws or changes something",
                "use while True with an if and break",
            )
        flow = body(names)
        if "return" in flow:
            raise Unsupported(
                "return inside a loop with an unknown number of rounds",
                "leave the loop with break and return after it",
            )
        ended = flow.get("next")
        more = flow.get("continue")
        if more is not None:
            ended = more if ended is None else self.joined(more, ended)
        stopped: Any = False
        broken = flow.get("break")
        if broken is not None:
            stopped = broken.condition if ended is not None else True
            ended = broken if ended is None else self.joined(broken, ended)
        if ended is None:
            raise Unsupported("a loop that never goes on")
        changed = [
            place
            for place in _places(start_names, ended.names, start_world, ended.world)
            if _differs(place, start_names, ended.names, start_world, ended.world)
        ]
        return _Attempt(going, stopped, ended, changed, packs, variables)

    def _grew(self, attempt: _Attempt, places: list) -> bool:
        """Return whether a variable's dtype is too narrow for the result of a round."""
        found = False
        for place in places:
            pairs = zip(attempt.variables[place], self._after(attempt, place), strict=True)
            for number, (variable, end) in enumerate(pairs):
                held, left = (np.asarray(example(v)).dtype for v in (variable, end))
                joint = np.result_type(held, left)
                if joint != held:
                    self.loop_dtypes[(place, number)] = joint
                    found = True
        return found

    def _variable(self, place: tuple, pack: _Pack, number: int, leaf: Any) -> Node:
        """Create a variable, widened to the dtype that an earlier round left in it."""
        like = leaf.like if isinstance(leaf, Node) else leaf
        wider = self.loop_dtypes.get((place, number))
        if wider is not None:
            array = np.asarray(like)
            like = array.astype(np.result_type(array.dtype, wider))[()]
        return self.graph.fresh("variable", (), (_leaf_name(place, pack, number),), like)

    def _built(
        self, attempt: _Attempt, before: World, kept: dict, places: list, names: dict
    ) -> Flow:
        graph = self.graph
        starts, variables, ends = [], [], []
        for place in places:
            parts = attempt.packs[place].leaves, attempt.variables[place]
            for start, variable, end in zip(*parts, self._after(attempt, place), strict=True):
                dtype = np.asarray(variable.like).dtype
                starts.append(graph.cast(start, dtype) if isinstance(start, Node) else start)
                variables.append(variable)
                ends.append(graph.cast(end, dtype) if isinstance(end, Node) else end)
        going = self._really_going(attempt)
        if attempt.stopped is not False:
            flag = graph.fresh("variable", (), ("stopped",), np.bool_(False))
            starts.append(False)
            variables.append(flag)
            ends.append(attempt.stopped)
            going = graph.both(going, graph.negate(flag))
        loop = graph.fresh("while", (tuple(starts), tuple(variables), going, tuple(ends)), (), None)
        outs = iter(
            [graph.node("out", (loop,), (k, v.attrs[0]), v.like) for k, v in enumerate(variables)]
        )
        self.world = before.copy()
        for place in places:
            pack = attempt.packs[place]
            leaves = [next(outs) for _ in pack.leaves]
            self._store(place, pack.rebuild(self, leaves), names, self.world)
        return {"next": Exit(True, names, self.world)}

    def _really_going(self, attempt: _Attempt) -> Any:
        """Return the loop's condition, false if its branch is not taken.

        A program computes both branches, so without this, or without remaining draws, the loop
        might never end.
        """
        graph, going = self.graph, attempt.going
        for condition in self.path:
            going = graph.both(condition, going)
        for place, variables in attempt.variables.items():
            if place[0] == "cursor":
                channel = next(c for c in self.channels if c.name == place[1])
                going = graph.both(graph.compare("<", variables[0], channel.places), going)
        return going

    # --- what a loop carries ---------------------------------------------------------------------

    def _packed(self, value: Any, place: tuple) -> _Pack:
        """Split a value into numbers and arrays, with a function that rebuilds it."""
        if place[0] == "contents" and getattr(place[1], "capacity", 0):
            value = self.growing(value, place[1].capacity)
        if value is MISSING or value is None:
            return _Pack([], lambda machine, leaves: value)
        value = self.settled(value) if not isinstance(value, Reference) else value
        if isinstance(value, Choice):
            value = self.number(value)
        if isinstance(value, Node | np.ndarray) or is_number(value):
            return _Pack([value], lambda machine, leaves: leaves[0])
        if isinstance(value, Growing):
            leaves = [value.places, value.count]
            rows = value.rows
            return _Pack(
                leaves, lambda machine, leaves: Growing(leaves[0], leaves[1], rows), grows=True
            )
        if isinstance(value, tuple):
            packs = [self._packed(v, place) for v in value]
            sizes = [len(p.leaves) for p in packs]

            def rebuild(machine: Any, leaves: list) -> tuple:
                made, at = [], 0
                for pack, size in zip(packs, sizes, strict=True):
                    made.append(pack.rebuild(machine, leaves[at : at + size]))
                    at += size
                return tuple(made)

            return _Pack([leaf for p in packs for leaf in p.leaves], rebuild)
        if isinstance(value, Reference | list):
            inner = self._packed(self.contents(value), place)

            def refill(machine: Any, leaves: list) -> Any:
                kind = "list" if self.is_list(value) else "array"
                return machine.new(kind, inner.rebuild(machine, leaves))

            return _Pack(inner.leaves, refill)
        raise Unsupported(f"a loop that changes {_name(place)}, a {type(value).__name__}")

    def _after(self, attempt: _Attempt, place: tuple) -> list:
        """Return the leaves of a place after a round, in the form that they had before."""
        before = attempt.packs[place].leaves
        value = _read(place, attempt.ended.names, attempt.ended.world)
        kept = self.world
        if isinstance(value, Reference) and before:
            self.world = attempt.ended.world
        leaves = self._packed(value, place).leaves
        self.world = kept
        if [np.shape(example(v)) for v in leaves] != [np.shape(example(v)) for v in before]:
            raise Unsupported(
                f"a loop of unknown length in which {_name(place)} changes its size",
                "give it a fixed size",
            )
        return leaves

    def _store(self, place: tuple, value: Any, names: dict, world: World) -> None:
        if place[0] == "name":
            names[place[1]] = value
        elif place[0] == "cursor":
            world.cursors[place[1]] = value
        elif place[0] == "attribute":
            world.put(place[1], {**world.attributes(place[1]), place[2]: value})
        else:
            world.put(place[1], value)


@dataclass
class _Pack:
    leaves: list
    rebuild: Callable[[Any, list], Any]
    grows: bool = False  # places and count of a list


@dataclass
class _Attempt:
    going: Any
    stopped: Any
    ended: Exit
    changed: list[tuple]
    packs: dict[tuple, _Pack]
    variables: dict[tuple, list[Node]]


def _places(names: dict, after: dict, world: World, later: World) -> list[tuple]:
    """Return every place that a round may have changed and that existed before it."""
    found: list[tuple] = [("name", n) for n in after if n in names]
    found += [("cursor", c) for c in later.cursors]
    for who in later.all():
        contents = later.get(who)
        if isinstance(contents, dict) and not isinstance(who, dict | Reference):
            found += [("attribute", who, name) for name in contents]
        elif world.touched(who) or not isinstance(who, Reference):
            found.append(("contents", who))
    return [_Hashed(p) for p in found]


class _Hashed(tuple):
    """A place. Objects are compared by identity."""

    def __hash__(self) -> int:
        return hash((self[0], id(self[1]) if self[0] in ("attribute", "contents") else self[1]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, tuple)
            and self[0] == other[0]
            and (self[1] is other[1] or (isinstance(self[1], str) and self[1] == other[1]))
            and self[2:] == other[2:]
        )


def _read(place: tuple, names: dict, world: World) -> Any:
    if place[0] == "name":
        return names.get(place[1], MISSING)
    if place[0] == "cursor":
        return world.cursors.get(place[1], 0)
    if place[0] == "attribute":
        real = getattr(place[1], place[2], MISSING)
        return world.attributes(place[1]).get(place[2], real)
    return world.get(place[1])


def _same_number(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and type(a) is type(b) and bool(a == b)


def _differs(place: tuple, names: dict, after: dict, world: World, later: World) -> bool:
    a, b = _read(place, names, world), _read(place, after, later)
    return a is not b and not _same_number(a, b)


def _name(place: tuple) -> str:
    if place[0] == "cursor":
        return f"{place[1]}_used"
    if place[0] == "contents":
        return getattr(place[1], "label", "") or "items"
    return str(place[-1]).strip("_") or "value"


def _leaf_name(place: tuple, pack: _Pack, number: int) -> str:
    """Name a leaf: `cards` and `cards_count` of a list, `x_0` and `x_1` of a pair."""
    if len(pack.leaves) == 1:
        return _name(place)
    if pack.grows:
        return _name(place) if number == 0 else f"{_name(place)}_count"
    return f"{_name(place)}_{number}"
