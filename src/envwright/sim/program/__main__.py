"""Start the runner and its tracers. See the package."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import warnings
from typing import Any

import jax

from envwright.sim.program import OWN_BATCHES, RESTARTS
from envwright.sim.program.runner import Programs, ProgramSimulator, own_modules
from envwright.sim.program.tracer import CALL, Tracer
from envwright.sim.program.wire import Wire
from envwright.sim.records import Fields
from envwright.sim.serve import Server, answer_all, told

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_LIBC = ctypes.CDLL(None)


class ProgramServer(Server):
    """Answers questions about an environment of programs."""

    simulator: ProgramSimulator

    @property
    def does(self) -> dict[str, Any]:
        own = {"loaded": lambda: loaded(self.simulator.programs)}
        return super().does | own | {"elsewhere": self.simulator.elsewhere}


class Functions:
    """Answers `names`, `call` and `loaded`: what a module has, and what a function gives."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the names, the function's outputs, or what was raised."""
        try:
            if question["op"] == "loaded":
                return loaded(self._programs)
            if question["op"] == "names":
                return self._programs.ask("names", module=question["module"])[0]
            return self._call(question["function"], question["inputs"])
        except Exception as error:
            return {"error": told(error)}

    def _call(self, function: str, inputs: Fields) -> Fields:
        with jax.enable_x64(True):
            got = self._programs(f"{CALL}{function}", inputs)
            return {name: jax.device_get(value) for name, value in got.items()}


def loaded(programs: Programs) -> dict[str, Any]:
    """Return what all processes have loaded."""
    return {**programs.loaded(), "runner": own_modules()}


def main(name: str, source: str, package: str, *allowed: str) -> None:
    """Serve an environment, or functions, whose code lies in the folder `source`."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    # Nothing of the same user may read or change this process: neither its memory nor its pipes.
    _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    private = [questions.fileno(), answers.fileno()]
    tracers: list[Wire] = []
    for number in range(2):
        tracer = Tracer(name, package, OWN_BATCHES in allowed, RESTARTS in allowed)
        end, private = _forked(tracer, source, number, private)
        tracers.append(Wire(end))
    programs = Programs(*tracers)
    try:
        server = ProgramServer(ProgramSimulator(name, programs)) if name else Functions(programs)
    except Exception as error:
        server = error
    answer_all(server, questions, answers)


def _forked(
    tracer: Tracer, source: str, number: int, private: list[int]
) -> tuple[socket.socket, list[int]]:
    """Start a tracer that has none of these descriptors. The code must not run before the fork."""
    ours, its = socket.socketpair()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no thread holds a lock yet
        child = os.fork()
    if child:
        its.close()
        return ours, [*private, ours.fileno()]
    status = 1
    try:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # the runner reads what it maps
        for descriptor in (*private, ours.fileno()):
            os.close(descriptor)
        _disguise(number)
        sys.path.append(source)
        tracer.serve(Wire(its))
        status = 0
    finally:
        os._exit(status)


def _disguise(number: int) -> None:
    """Give each tracer other circumstances: a program that depends on them differs."""
    sys.argv = [["twin"], ["python", "-m", "train"]][number]
    os.environ["TWIN" if number else "TRACED"] = str(number)
    if number:
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
