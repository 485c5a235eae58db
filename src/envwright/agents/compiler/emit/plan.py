"""Choose which helpers become functions, their names and their modules.

A helper becomes a function if the program calls it at least twice and it does more than one thing,
or if the harness tests it and it has to be written anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.compile import Compiled, Transition
from envwright.agents.compiler.emit.goldens import Goldens, name_of
from envwright.agents.compiler.emit.helpers import join_alike
from envwright.agents.compiler.emit.printer import TOP_LEVEL
from envwright.agents.compiler.first_step import differs, may_differ
from envwright.agents.compiler.functions import (
    ATTRIBUTE,
    Function,
    Helpers,
    all_nodes_below,
    functions_below,
)
from envwright.agents.compiler.job import Job
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import free_name
from envwright.core.room import load_attribute
from envwright.schema.translation import Golden, Module

STEPS = ".step"
FEWEST = 2  # operations of a helper that is worth a name


class Plan:
    """Helpers of an environment. Tells `compiled` which ones to keep."""

    def __init__(self, compiled: Compiled, goldens: Goldens) -> None:
        self._goldens = goldens
        self.job: Job = compiled.facts.job
        self._state = compiled.facts.examples
        survey = _roots(Compiled(compiled.facts, Helpers(wanted=None)))
        compiled.helpers = Helpers(wanted=self._wanted(survey))
        self.roots = _roots(compiled)
        self._functions = functions_below([*self.roots, *compiled.observations()])
        join_alike(self._functions)
        # By the name of the golden function.
        self.tested: dict[str, Function] = self._matches(self._functions)
        self._taken = TOP_LEVEL | {name_of(golden) for _, golden in _tested(self.job)}
        self._taken |= {*self.job.options, self.job.entry}
        self._call_them()

    def _wanted(self, roots: list[Any]) -> frozenset:
        """Return the signs of calls that deserve a function."""
        functions = functions_below(roots)
        join_alike(functions)
        invoked = [node.attrs[0] for node in all_nodes_below(roots) if node.op == "invoke"]
        calls = Counter(function.one for function in invoked)
        tested = set(self._matches(functions).values())
        worth = {f for f, n in calls.items() if n > 1 and f.operations >= FEWEST} | tested
        return frozenset(f.sign for f in functions if f.one in worth)

    def _matches(self, functions: list[Function]) -> dict[str, Function]:
        """Return the functions that golden pairs test."""
        found: dict[str, Function] = {}
        for module, golden in _tested(self.job):
            source = load_attribute(golden.target)
            alike = [f for f in functions if f.source is source]
            if alike:
                inputs, all_outputs = self._goldens.pairs(module, golden)
                outputs = {name: all_outputs[name] for name in golden.outputs}
                fitting = [f for f in alike if self._fits(f, inputs) and _gives(f, outputs)]
                if fitting:
                    found[golden.ours] = fitting[0].one
        return found

    def _fits(self, function: Function, inputs: dict[str, Any]) -> bool:
        """Return whether a function accepts everything that was recorded."""
        read = {origin.recorded for origin in function.origins}
        # State that it is not given, it does not read; anything else may be folded in.
        read |= {f"{ATTRIBUTE}{name}" for name in self._state}
        if any(name not in read and _differs(column) for name, column in inputs.items()):
            return False
        for parameter, origin in zip(function.parameters, function.origins, strict=True):
            column = inputs.get(origin.recorded)
            if column is None or any(not isinstance(k, int) for k in origin.path):
                return False
            try:
                value = np.asarray(np.asarray(column[0])[origin.path])
            except IndexError:
                return False
            same = kinds.word(value.dtype) == kinds.word_of(parameter)
            if value.shape != parameter.shape or not same:
                return False
        return True

    def _call_them(self) -> None:
        tested = {f: name_of(g) for _, g in _tested(self.job) if (f := self.tested.get(g.ours))}
        for function in self._functions:
            if function.same is None:
                base = function.source.__name__.strip("_").lower()
                wanted = free_name(base, self._taken.__contains__)
                function.name = tested.get(function, wanted)
                self._taken.add(function.name)
            function.name = function.one.name

    def homes(self, last: Module, step: Module, own: Callable[[Module], bool]) -> dict:
        """Return the modules before `last` that hold functions, as far as they are our `own`."""
        found: dict[Function, Module] = {}
        for module in self.job.modules[: self.job.modules.index(last)]:
            names = {golden.ours for golden in module.golden}
            inside = [f for name, f in self.tested.items() if name in names]
            inside += [g for f in inside for g in functions_below(f.results)]
            if module == step:
                inside += functions_below(self.roots[:1])
            here = {function.one for function in inside}
            if here - set(found) and own(module):
                for function in here:
                    found.setdefault(function, module)
        return found


def _gives(function: Function, outputs: dict[str, Any]) -> bool:
    """Return whether a function's results match the recorded ones, item by item or as one array."""
    shapes = [np.shape(getattr(result, "like", result)) for result in function.results]
    known = {f"result.{place}": shape for place, shape in enumerate(shapes)}
    whole = shapes[0] if function.single else (len(shapes), *shapes[0])
    return all(
        np.shape(column[0]) == (whole if name == "result" else known.get(name))
        for name, column in outputs.items()
    )


def _differs(column: Any) -> bool:
    """Return whether a value varies between recorded calls."""
    return any(not np.array_equal(value, column[0]) for value in column)


def _tested(job: Job) -> Iterator[tuple[Module, Golden]]:
    for module in job.modules:
        for golden in module.golden:
            if not golden.target.endswith(STEPS):
                yield module, golden


def _roots(compiled: Compiled) -> list[Any]:
    """Return what a program computes: first the results of a step, then all observations."""
    try:
        parts = [compiled.step()]
        if may_differ(compiled.facts):
            first = compiled.step(first=True)
            parts += [first] if differs(first, parts[0]) else []
    except Unsupported:
        return [[]]
    steps = [(*part.fields.values(), part.reward, part.terminated) for part in parts]
    found: list[Any] = [steps]
    for part in parts:
        found.append((part.truncated, part.observation, _drawn(part)))
    try:
        start = compiled.reset()
    except Unsupported:
        return found
    return [*found, (*start.fields.values(), _drawn(start))]


def _drawn(part: Transition) -> list[Any]:
    return [[*law.args, *law.keywords.values()] for law in part.laws]
