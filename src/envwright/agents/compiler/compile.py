"""Interpret the reference's step, reset and constructor, giving a graph of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from envwright.agents.compiler.facts import Facts
from envwright.agents.compiler.fields import known_fields, seen_as, unknown_state
from envwright.agents.compiler.functions import Helpers
from envwright.agents.compiler.graph import Graph
from envwright.agents.compiler.interpreter import Machine
from envwright.agents.compiler.interpreter.containers import described
from envwright.agents.compiler.interpreter.world import Channel, Law, World, things_in
from envwright.agents.compiler.observations import evaluated, expressions
from envwright.agents.compiler.parts import opened, without
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Choice, Poison, Reference, Table, is_number


@dataclass
class Transition:
    """Result of a step or a reset."""

    fields: dict[str, Any]  # fields of the state
    observation: Any  # nested dicts and tuples of nodes and numbers
    seen: dict[int, str]  # values that can be read from the state
    laws: list[Law]
    channels: list[Channel]
    reward: Any = None
    terminated: Any = None
    truncated: Any = None


@dataclass
class Compiled:
    """An interpreted environment."""

    facts: Facts
    helpers: Helpers = field(default_factory=Helpers)  # functions that it keeps
    graph: Graph = field(default_factory=Graph)
    world: World = field(default_factory=World)  # the objects that options decide
    changed_in_place: set[str] = field(default_factory=set)  # attributes, by a step

    def __post_init__(self) -> None:
        if self.facts.job.options:
            self._interpret_constructor()

    def _interpret_constructor(self) -> None:
        """Find the attributes that depend on options."""
        env, job = self.facts.env, self.facts.job
        machine = Machine(env, graph=self.graph)
        given = dict(getattr(env.spec, "kwargs", None) or {})
        given |= {
            name: self.graph.input(name, value, "option") for name, value in job.options.items()
        }
        instance = object.__new__(type(env))
        machine.world.put(instance, {})
        machine.subject = instance
        machine.run(type(env).__init__, [instance], given)
        made = machine.world.get(instance)
        machine.world.heap.pop(id(instance))
        # An unsupported value counts as unknown; it only fails if it is used.
        unknown = {name: value for name, value in made.items() if not machine.is_known(value)}
        machine.world.put(env, unknown)
        self.world = machine.world

    def _machine(self, channels: list[Channel] | None = None, invents: bool = False) -> Machine:
        machine = Machine(self.facts.env, channels, invents, self.graph, self.helpers)
        machine.world = self.world.copy()
        return machine

    def _forget_state(self, machine: Machine, first: bool = False) -> None:
        """Replace the environment's state by unknown values."""
        env = self.facts.env
        unknown = unknown_state(machine, self.facts, first)
        machine.world.put(env, {**machine.world.get(env), **unknown})

    # --- parts -----------------------------------------------------------------------------------

    def step(self, first: bool = False) -> Transition:
        """Interpret a step from an unknown state. The `first` has the types that a reset leaves."""
        facts, env = self.facts, self.facts.env
        machine = self._machine(facts.step)
        self._forget_state(machine, first)
        action = self._action(machine)
        begun = machine.world.copy()
        result = self._interpreted(machine, type(env).step, [env, action], 5)
        self._refuse_hidden_state(machine)
        self._refuse_shared(machine, begun)
        observation, reward, terminated, truncated = result[:4]
        part = self._transition(machine, observation)
        part.reward = machine.number(reward, float)
        part.terminated = machine.truth(terminated)
        part.truncated = machine.truth(truncated)
        return part

    def _action(self, machine: Machine) -> Any:
        """Return an unknown action, as the reference's step takes it."""

        def unknown(text: str, like: Any) -> Any:
            node = self.graph.input(text, like, "action")
            return machine.new("array", node) if isinstance(like, np.ndarray) else node

        like = self.facts.action
        if self.facts.acts_in_rows:  # a tuple there, and one array here
            node = self.graph.input("action", np.asarray(like), "action")
            return tuple(self.graph.index(node, (k,)) for k in range(len(like)))
        return opened(machine, like, "action", unknown)

    def _refuse_hidden_state(self, machine: Machine) -> None:
        """Reject steps that change an object outside the state; they cannot be repeated."""
        env, kept = self.facts.env, {*self.facts.examples, *self.facts.empty}
        after = machine.world.get(env)
        for name in sorted(machine.read - kept):
            real = getattr(env, name, None)
            now = after.get(name, real)
            changed = machine.world.touched(real) or now is not real
            if isinstance(real, list | dict | set) and changed:
                raise Unsupported(
                    f"the attribute {name}, which a step reads and changes and which is not part "
                    "of the state",
                    "store numbers in it, and initialise it in the constructor",
                )
        made, held = {id(thing) for thing in machine.made}, things_in(env)
        for who in machine.world.all():
            # The step itself made a container that nothing else refers to.
            plain = isinstance(who, list | dict | set | np.ndarray) and id(who) not in held
            if isinstance(who, Reference) or plain or who is env or id(who) in made:
                continue
            within = f" in {held[id(who)]}" if id(who) in held else ""
            raise Unsupported(
                f"a step that changes {described(who)}{within}, which is not part of the state",
                "keep its contents in attributes of the environment: numbers, lists, arrays",
            )
        for name in sorted(machine.read - kept):
            real = getattr(env, name, None)
            now = after.get(name, real)
            same = now is real or (is_number(now) and is_number(real) and now == real)
            if name in self.facts.changing or not same:
                raise Unsupported(
                    f"the attribute {name} ({described(real)}), which a step reads, which changes, "
                    "and which is not part of the state",
                    "keep its contents in attributes of the environment: numbers, lists, arrays",
                )

    def _refuse_shared(self, machine: Machine, begun: World) -> None:
        """Reject attributes that hold one list or array, if it is changed in place."""
        env, now = self.facts.env, machine.world
        for name in self.facts.examples:
            who = begun.attributes(env).get(name)
            if isinstance(who, Reference) and now.get(who) is not begun.get(who):
                self.changed_in_place.add(name)
        self._refuse_aliases(machine)

    def _refuse_aliases(self, machine: Machine) -> None:
        holders: dict[int, list[str]] = {}
        for name in self.facts.examples:
            value = machine.world.attributes(self.facts.env).get(name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Reference | list | np.ndarray):
                    holders.setdefault(id(part), []).append(name)
                for base, _ in getattr(part, "views", ()):
                    holders.setdefault(id(base), []).append(name)
        for names in holders.values():
            if len(names) > 1 and self.changed_in_place & set(names):
                raise Unsupported(
                    f"the attributes {' and '.join(names)}, which hold one list or array that is "
                    "changed in place",
                    "give each a copy of its own",
                )

    def _refuse_earlier_episodes(self, machine: Machine) -> None:
        """Reject resets that depend on what was before, which a translation does not know."""
        env, facts = self.facts.env, self.facts
        set_now = machine.world.attributes(env)
        for name in sorted(machine.read & facts.changing):
            if isinstance(getattr(env, name, None), bool | int | float | str | Enum | np.generic):
                raise Unsupported(
                    f"the attribute {name}, which a reset reads from the episode before",
                    "set it in reset, before it is read",
                )
        for name in facts.examples:
            real = getattr(env, name)
            if name in facts.changing and name not in set_now and not machine.world.touched(real):
                raise Unsupported(
                    f"the attribute {name}, which changes and which a reset does not set",
                    "set it in reset",
                )

    def reset(self) -> Transition:
        """Interpret a reset."""
        env, start = self.facts.env, self.facts.start
        machine = self._machine(start, invents=start is None)
        result = self._interpreted(machine, type(env).reset, [env], 2)
        self._refuse_earlier_episodes(machine)
        self._refuse_aliases(machine)
        return self._transition(machine, result[0])

    def observations(self) -> Iterator[Any]:
        """Yield the observation of an unknown state in every way that the reference writes it."""
        for function, source, expression in expressions(type(self.facts.env)):
            machine = self._machine()
            self._forget_state(machine)
            try:
                made = data(machine, evaluated(machine, function, source, expression))
                yield without(made, self.facts.simulator.dropped)
            except (Impossible, Unsupported):
                continue

    def _interpreted(self, machine: Machine, function: Any, args: list, results: int) -> tuple:
        try:
            found = machine.run(function, args, {}, results)
        except Impossible as error:
            told = f"{function.__qualname__}, which cannot be followed to its end: {error}"
            raise Unsupported(told, place=error.place) from error
        if isinstance(found, Poison):
            raise found.error
        items = machine.items(found)
        if not isinstance(items, tuple) or len(items) != results:
            raise Unsupported(f"{function.__qualname__}, which does not return {results} values")
        return items

    def _transition(self, machine: Machine, observation: Any) -> Transition:
        attributes = machine.world.attributes(self.facts.env)
        fields = known_fields(machine, self.facts, attributes)
        made = without(data(machine, observation), self.facts.simulator.dropped)
        return Transition(fields, made, seen_as(machine, fields), machine.laws, machine.channels)


def data(m: Machine, value: Any) -> Any:
    """Convert to nested dicts and tuples of nodes and numbers."""
    if isinstance(value, Poison):
        raise value.error
    if m.is_dict(value):
        return {k: data(m, v) for k, v in m.contents(value).items()}
    value = m.settled(value)
    if isinstance(value, Choice) or m.is_list(value):
        return m.number(value)
    if isinstance(value, Table):
        raise Unsupported("one of several containers as a result")
    if isinstance(value, tuple):
        return tuple(data(m, v) for v in value)
    return value
