"""Functions by which the harness tests a module, each with one recorded call."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from envwright.agents.compiler.compile import Compiled, data
from envwright.agents.compiler.emit import text
from envwright.agents.compiler.emit.constants import Constants, written
from envwright.agents.compiler.emit.printer import TOP_LEVEL, Printer
from envwright.agents.compiler.facts import Facts
from envwright.agents.compiler.functions import Function
from envwright.agents.compiler.interpreter import Machine
from envwright.agents.compiler.parts import expression, gathered, opened
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Node, free_name
from envwright.core.room import load_attribute
from envwright.schema.translation import Golden, Module
from envwright.verify.golden import load_golden


@dataclass(frozen=True)
class Goldens:
    """The recorded calls in a workspace."""

    folder: Path

    def pairs(self, module: Module, golden: Golden) -> tuple[dict, dict]:
        """Return inputs and outputs of all calls as columns."""
        return load_golden(self.folder / f"{module.name}-{golden.ours}.npz")

    # --- helpers -------------------------------------------------------------------------------

    def helpers(
        self, compiled: Compiled, module: Module, constants: Constants, tested: dict[str, Function]
    ) -> list[str]:
        """Write single functions of the reference. The program calls those in `tested`."""
        found = []
        for golden in module.golden:
            if golden.ours in tested:
                constants.call(tested[golden.ours])
                found.append(_recorded_call(golden, tested[golden.ours]))
            elif not golden.target.endswith(".step"):
                inputs, _ = self.pairs(module, golden)
                row = {name: column[0] for name, column in inputs.items()}
                found += _helper(compiled, golden, row, constants)
        return found

    # --- the step ------------------------------------------------------------------------------

    def step(self, facts: Facts, module: Module, options: list[Any]) -> list[str]:
        """Write `advance` on one recorded call."""
        for golden in module.golden:
            if golden.target.endswith(".step"):
                inputs, outputs = self.pairs(module, golden)
                return [_golden_step(facts, golden, list(inputs), list(outputs), options)]
        return []


def name_of(golden: Golden) -> str:
    """Return the name of the function that a golden function calls."""
    return free_name(golden.ours.removeprefix("golden_"), TOP_LEVEL.__contains__)


def _helper(
    compiled: Compiled, golden: Golden, row: dict[str, np.ndarray], constants: Constants
) -> list[str]:
    """Write a golden function. Pairs record tuples as arrays, so it adapts the inputs."""
    function = load_attribute(golden.target)
    problem: Exception | None = None
    for kind in (np.ndarray, tuple, list):
        try:
            machine = Machine(compiled.facts.env, graph=compiled.graph)
            given, args = _inputs(machine, compiled.facts, golden, function, row, kind)
            result = data(machine, machine.run(function, args, {}))
            return _written(golden, function, result, given, constants)
        except (Impossible, Unsupported) as error:
            problem = problem or error
    if isinstance(problem, Unsupported):
        raise problem
    raise Unsupported(f"{function.__qualname__}, which always raises: {problem}")


def _inputs(
    machine: Machine, facts: Facts, golden: Golden, function: Any, row: dict, kind: type
) -> tuple[dict[str, str], list[Any]]:
    """Return our parameters as the golden function receives them, and the arguments."""
    parameters = [p for p in inspect.signature(function).parameters if p != "self"]
    method = len(parameters) < len(inspect.signature(function).parameters)
    given: dict[str, str] = {}
    args: list[Any] = [_instance(facts, function)] if method else []
    for name in parameters:
        leaf = partial(_parameter, machine, kind=kind)
        args.append(opened(machine, gathered(row, name), name, leaf))
        given[name] = _recorded(row, name)
    attributes = {}
    for attribute in golden.attributes:
        value = row[f"self.{attribute}"]
        ours = facts.fields_of(attribute)
        own = type(facts.examples.get(attribute))
        own = own if own in (tuple, list) else np.ndarray
        if isinstance(ours, tuple):
            flat = zip(ours, np.ravel(value), strict=True)
            parts = [_parameter(machine, n, v, own) for n, v in flat]
            attributes[attribute] = machine.new("array", machine.graph.array(parts, value.dtype))
            given |= {n: f'inputs["self.{attribute}"][{k}]' for k, n in enumerate(ours)}
        else:
            attributes[attribute] = _parameter(machine, attribute, value, own)
            given[attribute] = f'inputs["self.{attribute}"]'
    machine.world.put(facts.env, attributes)
    return given, args


def _instance(facts: Facts, function: Any) -> Any:
    """Return whose method it is: the environment's, or that of an object in it."""
    cls = load_attribute(f"{function.__module__}:{function.__qualname__.rpartition('.')[0]}")
    if isinstance(facts.env, cls):
        return facts.env
    for held in vars(facts.env).values():
        parts = held.values() if isinstance(held, dict) else held
        for one in (held, *(parts if isinstance(held, dict | list | tuple) else ())):
            if isinstance(one, cls):
                return one
    raise Unsupported(
        f"golden pairs of {function.__qualname__}: no attribute of the environment is a "
        f"{cls.__name__}",
        "remove this golden function from translation.toml",
    )


def _recorded(columns: Iterable[str], name: str) -> str:
    """Write how a parameter is read from the columns of a recorded call."""
    return expression(gathered({column: f'inputs["{column}"]' for column in columns}, name))


def _parameter(machine: Machine, name: str, value: Any, kind: type) -> Any:
    value = np.asarray(value)
    like = value if value.ndim else (value.item() if value.dtype.kind in "bi" else value[()])
    node = machine.graph.input(name, like, "parameter")
    if not value.ndim:
        return node
    if kind is np.ndarray:
        return machine.new("array", node)
    items = [machine.graph.renamed(i, np.asarray(i.like).tolist()) for i in machine.items(node)]
    return tuple(items) if kind is tuple else machine.new_list(items)


def _written(
    golden: Golden, function: Any, result: Any, given: dict[str, str], constants: Constants
) -> list[str]:
    show = Printer(constants, taken=given)
    outputs = {name: _output(result, name) for name in golden.outputs}
    show.body(list(outputs.values()))
    name = name_of(golden)
    texts = {key: _shown(show, value) for key, value in outputs.items()}
    single = list(texts) == ["result"]
    returned = texts["result"] if single else f"({', '.join(texts.values())},)"
    about = f"What `{function.__qualname__}` computes."
    made = text.function(
        f"def {name}({', '.join(given)}):", about, [*show.lines, f"    return {returned}"]
    )
    call = f"{name}({', '.join(given.values())})"
    if single:
        lines = [f'    return {{"result": {call}}}']
    else:
        pairs = [f'"{key}": results[{k}]' for k, key in enumerate(texts)]
        lines = [f"    results = {call}", f"    return {{{', '.join(pairs)}}}"]
    return [made, _golden_function(golden, name, lines)]


def _recorded_call(golden: Golden, function: Function) -> str:
    """Write a call of a helper on one recorded call."""
    given = []
    for origin in function.origins:
        places = "".join(f"[{k}]" for k in origin.path)
        given.append(f'inputs["{origin.recorded}"]{places}')
    call = f"{function.name}({', '.join(given)})"
    if list(golden.outputs) == ["result"]:
        result = call if function.single else f"jnp.array({call})"
        return _golden_function(golden, function.name, [f'    return {{"result": {result}}}'])
    pairs = [f'"{key}": results[{key.rpartition(".")[2]}]' for key in golden.outputs]
    lines = [f"    results = {call}", f"    return {{{', '.join(pairs)}}}"]
    return _golden_function(golden, function.name, lines)


def _golden_function(golden: Golden, name: str, lines: list[str]) -> str:
    about = f"`{name}` on one recorded call."
    return text.function(f"def {golden.ours}(inputs):", about, lines)


def _output(result: Any, name: str) -> Any:
    value = result
    for part in name.split(".")[1:]:
        value = value[int(part)]
    return value


def _shown(show: Printer, value: Any) -> str:
    if isinstance(value, Node):
        return show.text(value)
    if isinstance(value, tuple):
        return f"jnp.array({show.text(value)})"
    return f"jnp.asarray({show.text(value)})"


def _golden_step(
    facts: Facts, golden: Golden, inputs: list[str], outputs: list[str], options: list[Any]
) -> str:
    lines, fields = [], []
    for attribute in golden.attributes:
        ours = facts.fields_of(attribute)
        given = f'inputs["self.{attribute}"]'
        if isinstance(ours, tuple):
            lines.append(f"    {', '.join(ours)} = jnp.asarray({given})")
            fields += [f"{name}={name}" for name in ours]
        else:
            fields.append(f"{ours}=jnp.asarray({given})")
    if facts.time_limit is not None:
        fields.append("time=jnp.int32(0)")
    lines.append(f"    state = State({', '.join(fields)})")
    name = next(n.partition(".")[0] for n in inputs if not n.startswith("self."))
    action = _recorded(inputs, name)
    values = "".join(f", {written(v)}" for v in options)
    lines.append(f"    state, reward, terminated = advance(state, {action}{values})")
    first = int("result.3" in outputs or "result.0.0" in outputs)
    known = {f"result.{first}": "reward", f"result.{first + 1}": "terminated"}
    pairs = []
    for name in golden.outputs:
        if name.startswith("self."):
            ours = facts.fields_of(name.removeprefix("self."))
            value = f"state.{ours}"
            if isinstance(ours, tuple):
                value = f"jnp.stack([{', '.join(f'state.{n}' for n in ours)}])"
            pairs.append(f'"{name}": {value}')
        else:
            pairs.append(f'"{name}": {known[name]}')
    lines.append(f"    return {{{', '.join(pairs)}}}")
    return text.function(f"def {golden.ours}(inputs):", "`advance` on one recorded call.", lines)
