"""Which helpers of the reference become functions, what they are called and where they stand.

A helper becomes a function if the program calls it twice or more, and it does more than one thing;
or if it has to be written anyway, since the harness tests it by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.compile import Compiled, Part
from envwright.agents.compiler.emit.goldens import Goldens
from envwright.agents.compiler.emit.printer import RESERVED
from envwright.agents.compiler.first_step import differs, may_differ
from envwright.agents.compiler.functions import Function, Helpers, functions_below, nodes_below
from envwright.agents.compiler.job import Golden, Job, Module
from envwright.agents.compiler.trouble import Unsupported
from envwright.core.registry import load_attribute

STEPS = ".step"
FEWEST = 2  # operations of a helper that is worth a name
TAKEN = RESERVED | {"first_state", "following", "advance_from_start", "updated", "partial"}


class Plan:
    """Of one environment; `compiled` is told which helpers to keep."""

    def __init__(self, compiled: Compiled, goldens: Goldens) -> None:
        self._compiled, self._goldens = compiled, goldens
        self.job: Job = compiled.facts.job
        survey = Compiled(compiled.facts, Helpers(wanted=None))
        calls = Counter(_calls(_roots(survey)))
        chosen = {f.sign for f, n in calls.items() if n > 1 and f.operations >= FEWEST}
        chosen |= {f.sign for f in self._matches(list(calls)).values()}
        compiled.helpers = Helpers(wanted=frozenset(chosen))
        self.roots = _roots(compiled)
        # By the name of the golden function.
        self.tested: dict[str, Function] = self._matches(functions_below(self.roots))
        self._taken = TAKEN | {name_of(golden) for _, golden in _tested(self.job)}
        self._taken |= {*self.job.options, self.job.entry}
        for _, golden in _tested(self.job):
            if golden.ours in self.tested:
                self.tested[golden.ours].name = name_of(golden)
        self.name_all()

    def _matches(self, functions: list[Function]) -> dict[str, Function]:
        """Functions that are what a golden pair tests."""
        found: dict[str, Function] = {}
        for module, golden in _tested(self.job):
            source = load_attribute(golden.target)
            alike = [f for f in functions if f.source is source]
            if alike:
                inputs, _ = self._goldens.pairs(module, golden)
                row = {name: column[0] for name, column in inputs.items()}
                fitting = [f for f in alike if fits(f, golden, row)]
                if fitting:
                    found[golden.ours] = fitting[0]
        return found

    def name_all(self) -> None:
        """Names for functions that have none yet."""
        for function in self._compiled.helpers.functions.values():
            base, again = function.source.__name__.strip("_").lower(), 1
            wanted = base
            while not function.name and wanted in self._taken:
                again += 1
                wanted = f"{base}_{again}"
            function.name = function.name or wanted
            self._taken.add(function.name)

    def homes(self, last: Module, step: Module, own: Callable[[Module], bool]) -> dict:
        """The modules before `last` in which functions stand, as far as they are our `own`."""
        found: dict[Function, Module] = {}
        for module in self.job.modules[: self.job.modules.index(last)]:
            functions = [f for g, f in self.tested.items() if g in {g.ours for g in module.golden}]
            inside = [g for f in functions for g in [*functions_below(f.results), f]]
            if module == step:
                inside += functions_below(self.roots[:1])
            if set(inside) - set(found) and own(module):
                for function in inside:
                    found.setdefault(function, module)
        return found


def name_of(golden: Golden) -> str:
    """The function that a golden function calls."""
    return golden.ours.removeprefix("golden_")


def fits(function: Function, golden: Golden, row: dict[str, Any]) -> bool:
    """Whether a function can be given what was recorded, and gives what was."""
    for parameter, origin in zip(function.parameters, function.origins, strict=True):
        value = row.get(origin.recorded)
        if value is None or any(not isinstance(k, int) for k in origin.path):
            return False
        value = np.asarray(value)
        try:
            value = np.asarray(value[origin.path])
        except IndexError:
            return False
        if value.shape != parameter.shape or kinds.word(value.dtype) != kinds.word_of(parameter):
            return False
    places = [f"result.{k}" for k in range(len(function.results))]
    return set(golden.outputs) <= ({"result"} if function.single else {"result", *places})


def _tested(job: Job) -> Iterator[tuple[Module, Golden]]:
    for module in job.modules:
        for golden in module.golden:
            if not golden.target.endswith(STEPS):
                yield module, golden


def _roots(compiled: Compiled) -> list[Any]:
    """What a program computes: first what a step leaves behind, then all that is seen of it."""
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
        found.append((part.truncated, _leaves(part.observation), _drawn(part)))
    try:
        start = compiled.reset()
    except Unsupported:
        return found
    return [*found, (*start.fields.values(), _drawn(start))]


def _drawn(part: Part) -> list[Any]:
    return [[*law.args, *law.keywords.values()] for law in part.laws]


def _leaves(value: Any) -> Any:
    return [_leaves(v) for v in value.values()] if isinstance(value, dict) else value


def _calls(roots: list[Any]) -> Iterator[Function]:
    """Every function once for every call of it."""
    bodies = [roots, *(function.results for function in functions_below(roots))]
    for body in bodies:
        for node in nodes_below(body):
            if node.op == "invoke":
                yield node.attrs[0]
