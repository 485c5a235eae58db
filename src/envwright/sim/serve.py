"""The other end of `command:`: serves a simulator by name to a process that asks.

    python -m envwright.sim.serve python:fast_car.env:Car?dtype=float64

Standard output belongs to the protocol; what the simulator prints goes to standard error. An
exception of the simulator is an answer, with the line of its code.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from envwright.core.room import load_attribute
from envwright.sim.command import ALONG, LOADS_ALONG
from envwright.sim.encoding import decode, describe_space, encode
from envwright.sim.records import Fields, stack, state_of, unstack, without_state
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator, TwinRaised


class Server:
    """Answers questions about one simulator."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator

    @property
    def does(self) -> dict[str, Callable[..., Any]]:
        """The questions that it answers beyond the four of every program."""
        sim: Any = self.simulator  # some can do more than every simulator
        offered: dict[str, Callable[..., Any]] = {
            "starts": sim.starts,
            "step_table": self.step_table,
            LOADS_ALONG: self.load,
        }
        if sim.observes:
            offered["observe"] = lambda: self._nested(sim.observe())
        if hasattr(sim, "run_table"):
            offered |= {"run_table": self.run_table, "sample_table": sim.sample_table}
        if hasattr(sim, "race"):
            offered["race"] = sim.race
            offered["profile"] = lambda lanes: {"text": sim.profile(lanes)}
        if hasattr(sim, "follow"):
            sim.follow(lambda noise: noise, lambda noise: noise)
            offered |= {"reset_with": self.reset_with, "step_with": self.step_with}
        return offered

    def spaces(self) -> dict[str, Any]:
        sim = self.simulator
        return {
            "action": describe_space(sim.action_space),
            "observation": describe_space(sim.observation_space),
            "loads": sim.loads,
            "draws_unseen": sim.draws_unseen,
            "time_limit": sim.time_limit,
            "packed": True,
            "does": sorted(self.does),
        }

    def reset(self, seed: int) -> dict[str, Any]:
        return self._nested(self.simulator.reset(seed))

    def step(self, action: Any) -> dict[str, Any]:
        return self._nested(self.simulator.step(action))

    def load(self, state: Fields) -> dict[str, Any]:
        self.simulator.load(state)
        return {}

    def step_table(self, states: Fields, actions: np.ndarray) -> Fields:
        return stack(self.simulator.step_many(unstack(states), list(actions)))

    def run_table(self, starts: Fields, actions: np.ndarray) -> Fields:
        return self.simulator.run_table(unstack(starts), actions)  # type: ignore[attr-defined]

    def reset_with(self, noise: Any) -> dict[str, Any]:
        return self._nested(self.simulator.reset_with(noise))

    def step_with(self, action: Any, noise: Any) -> dict[str, Any]:
        return self._nested(self.simulator.step_with(action, noise))

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer, or the error that was raised."""
        asked = dict(question)
        op, state = asked.pop("op"), asked.pop(ALONG, None)
        known = {k: getattr(self, k) for k in ("spaces", "reset", "step", "load")} | self.does
        try:
            if state is not None:
                self.load(state)
            return known[op](**asked)
        except Exception as error:
            return {"error": told(error)}

    @staticmethod
    def _nested(record: Fields) -> dict[str, Any]:
        """Return a record as the protocol writes it: the observation whole, the state by itself."""
        seen = without_state(record)
        parts = {k.removeprefix("obs."): seen.pop(k) for k in list(seen) if k.startswith("obs.")}
        state = state_of(record)
        return seen | ({"obs": parts} if parts else {}) | ({"state": state} if state else {})


def call(function: str, inputs: Fields) -> Fields:
    """Apply a pure function of one row, `dict -> dict`, to every row of a table at once."""
    import jax

    found = load_attribute(function)
    with jax.enable_x64(True):
        got = jax.jit(jax.vmap(found))(inputs)
    return {name: np.asarray(value) for name, value in got.items()}


def told(error: Exception) -> str:
    """Describe an exception in one line, with the place in the simulator's own code."""
    if isinstance(error, TwinRaised):
        return str(error)  # another process has described it already
    here = Path.cwd()
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(here) and ".venv" not in frame.filename
    ]
    text = " ".join(str(error).split())[:600]
    where = f" ({Path(own[-1].filename).relative_to(here)}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {text}{where}"


def serve(name: str, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the input ends."""
    try:
        server: Answering | Exception = Server(open_simulator(name))
    except Exception as error:
        server = error
    answer_all(server, questions, answers)


class Answering(Protocol):
    """A server: anything that answers questions."""

    def answer(self, question: dict[str, Any]) -> dict[str, Any]: ...


def answer_all(server: Answering | Exception, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the input ends; if the server could not be made, report why and stop."""
    if isinstance(server, Exception):
        _say(answers, {"error": told(server)})
        return
    for line in questions:
        _say(answers, server.answer(decode(json.loads(line))))


def main() -> None:
    """Serve the simulator that the command line names."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a print of the simulator must not be taken for an answer
    sys.path.insert(0, str(Path.cwd()))
    serve("".join(sys.argv[1:]), sys.stdin.buffer, answers)


def _say(answers: IO[bytes], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(encode(answer, packed=True)).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
