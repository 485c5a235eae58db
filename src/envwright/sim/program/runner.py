"""The runner: answer questions about an environment with programs that were checked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.sim import bounds
from envwright.sim.actions import action_bank
from envwright.sim.encoding import space_from
from envwright.sim.functional import TapedSimulator
from envwright.sim.program.check import LARGEST, Refused
from envwright.sim.program.exported import import_program
from envwright.sim.program.tracer import CALL, RACE
from envwright.sim.program.wire import Wire
from envwright.sim.records import Fields, flatten
from envwright.sim.simulator import TwinRaised

# Of one lane and one step, so they are quickly traced again; the others are these, `vmap`ped.
CONFIRMED = ("reset", "observe", "next", "start_with", "advance_with", CALL)
MODULES = 1 << 16  # values of a list of loaded modules


class Programs:
    """The functions of the code, each traced for the shapes of its arguments when first called."""

    def __init__(self, tracer: Wire, second: Wire) -> None:
        self._tracer, self._second = tracer, second
        self._known: dict[Any, Callable[..., Any]] = {}

    def ask(self, op: str, **more: Any) -> tuple[dict[str, Any], bytes]:
        """Ask the tracer. Its error is raised as `TwinRaised`."""
        return _asked(self._tracer, op, **more)

    def __call__(self, name: str, *arguments: Any) -> Any:
        """Run a function on arrays, in dicts and lists."""
        leaves, tree = jax.tree.flatten(list(arguments))
        arrays = [_array(x) for x in leaves]
        pairs = zip(arrays, leaves, strict=True)
        specs = [[list(a.shape), a.dtype.name, _is_weak(x)] for a, x in pairs]
        known = (name, tree, str(specs))
        if known not in self._known:
            skeleton = jax.tree.unflatten(tree, range(len(leaves)))
            self._known[known] = self._imported(name, skeleton, specs)
        return self._known[known](*arrays)

    def _imported(self, name: str, skeleton: Any, specs: list[Any]) -> Callable[..., Any]:
        asked = {"name": name, "skeleton": skeleton, "specs": specs}
        header, module = self.ask("program", **asked)
        if name.startswith(CONFIRMED):
            self._confirm(module, asked)
        try:
            function = import_program(module, header, name.removeprefix(CALL))
            shape = header["skeleton"]
        except (LookupError, Refused) as error:
            raise TwinRaised(str(error)) from None
        return lambda *arrays: _filled(shape, function(*arrays))

    def _confirm(self, module: bytes, asked: dict[str, Any]) -> None:
        """Raise unless another process traces the same program."""
        again = _asked(self._second, "program", **asked)[1]
        if again != module:
            raise TwinRaised(
                f"{asked['name']} is another program when another process traces it; "
                "a translation is pure functions of its arguments"
            )

    def loaded(self) -> dict[str, Any]:
        """Return the modules of all processes by file, and the files that the kernel mapped."""
        modules: dict[str, str] = {}
        for wire in (self._tracer, self._second):
            modules |= _asked(wire, "loaded", MODULES)[0]["modules"]
        return {"modules": modules, "mapped": sorted(_mapped())}


class ProgramSimulator(TapedSimulator):
    """An environment of programs. States are dicts of arrays."""

    def __init__(self, name: str, programs: Programs) -> None:
        about, _ = programs.ask("about")
        self.name, self.programs = name, programs
        self.action_space = space_from(about["action"])
        self.observation_space = space_from(about["observation"])
        self._names, self._x64 = list(map(str, about["state"])), bool(about["x64"])
        for function in ("reset", "observe", "next", "reset_many", "advance_many"):
            setattr(self, f"_{function}", partial(programs, function))
        for function in ("advance_keys", "run_many"):
            setattr(self, f"_{function}", partial(programs, function))
        self._start_with = partial(programs, "start_with")
        self._advance_with = partial(programs, "advance_with")
        with self._precision():
            self._key, self._time = jax.random.key(0), 0
            _, self._state = self._reset(self._key)
            self._template = jax.tree.map(np.asarray, self._state)

    def _fields(self, state: Any) -> Fields:
        """The state in the order of its declaration."""
        return {name: np.asarray(state[name]) for name in self._names}

    def race(self, lanes: int, steps: int, seed: int) -> Fields:
        """Return the last step of a long run of many lanes, as in training."""
        with self._precision():
            bank = action_bank(from_gymnasium(self.action_space), lanes)
            last = self.programs(f"{RACE}{lanes}", jax.random.key(seed), bank, np.int32(steps))
        states = {k: self._fields(last.pop(k)) for k in ("before", "after")}
        final = flatten("final_obs", jax.tree.map(np.asarray, last.pop("final_obs")))
        named = {f"{k}.{name}": x for k, fields in states.items() for name, x in fields.items()}
        return {**named, **final, **{k: np.asarray(x) for k, x in last.items()}}

    def profile(self, lanes: int) -> str:
        """Describe where the time of such a run goes, as the code's own process reports it."""
        return str(self.programs.ask("profile", lanes=lanes)[0]["text"])

    def elsewhere(self, seed: int) -> dict[str, str]:
        """Describe what differs where nothing is verified, as the code's own process reports it."""
        return {"text": str(self.programs.ask("elsewhere", seed=seed)[0]["text"])}


def _asked(
    tracer: Wire, op: str, values: int = bounds.SPARE, **more: Any
) -> tuple[dict[str, Any], bytes]:
    tracer.send({"op": op, **more})
    answer, payload = tracer.receive(values, LARGEST)
    if "error" in answer:
        raise TwinRaised(str(answer["error"]))
    return answer, payload


def _array(value: Any) -> np.ndarray:
    """Return an argument as a traced function gets it: a key as its words."""
    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    return np.asarray(value, jax.dtypes.canonicalize_dtype(np.result_type(value)))


def _is_weak(value: Any) -> bool:
    """Return whether a number takes the dtype of what it is combined with."""
    return isinstance(value, bool | int | float)


def _filled(shape: Any, arrays: Any) -> Any:
    if isinstance(shape, dict):
        return {name: _filled(part, arrays) for name, part in shape.items()}
    if isinstance(shape, list):
        return [_filled(part, arrays) for part in shape]
    return arrays[shape]


def _mapped() -> set[str]:
    """Return the files that children have in their memory. The kernel says so, not they."""
    found: set[str] = set()
    for child in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split():
        lines = Path(f"/proc/{child}/maps").read_text().splitlines()
        found |= {line[line.index("/") :] for line in lines if " /" in line}
    return found


def own_modules() -> dict[str, str]:
    """Return this process's modules by name, with their files."""
    return {n: str(getattr(m, "__file__", "") or "") for n, m in list(sys.modules.items())}
