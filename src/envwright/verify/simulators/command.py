"""A child process as a simulator: one JSON object per line, a question and an answer.

| question | answer |
|---|---|
| `{"op": "spaces"}` | `{"action": SPACE, "observation": SPACE, "loads": bool}` |
| `{"op": "reset", "seed": 0}` | `{"obs": …, "state": {…}?}` |
| `{"op": "step", "action": 1}` | `{"obs", "reward", "terminated", "truncated", "state"?}` |
| `{"op": "load", "state": {…}}` | `{}` |

SPACE is `{"n": 3}` or `{"low": […], "high": […]}`. An answer `{"error": "…"}` is raised; a
process that has ended is started again by the next reset or load.
Numbers survive: JSON carries the shortest text that reads back as the same double.
"""

from __future__ import annotations

import json
import select
import shlex
import subprocess
from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError
from envwright.verify.records import Fields, flatten, outcome
from envwright.verify.simulator import Simulator

PATIENCE = 60  # seconds for one answer


class CommandSimulator(Simulator):
    """Drives `program args` over its standard input and output."""

    def __init__(self, command: str) -> None:
        self.name = f"command:{command}"
        self._command = command
        self._child: subprocess.Popen[str] | None = None
        try:
            spaces = self._ask(op="spaces")
            self.action_space = _space(spaces["action"])
            self.observation_space = _space(spaces["observation"])
            self.loads = bool(spaces.get("loads", False))
        except (RuntimeError, KeyError, TypeError, ValueError, AssertionError) as error:
            self.close()
            raise EnvwrightError(
                f"{command!r} did not describe its spaces: {type(error).__name__}: {error}"
            ) from error

    def reset(self, seed: int) -> Fields:
        answer = self._ask(op="reset", seed=seed)
        self._state = _state(answer)
        return {**self._obs(answer), **{f"state.{k}": v for k, v in self._state.items()}}

    def step(self, action: Any) -> Fields:
        answer = self._ask(op="step", action=np.asarray(action).tolist())
        self._state = _state(answer)
        record = outcome(0, answer["reward"], answer["terminated"], answer["truncated"])
        record.pop("obs")
        states = {f"state.{k}": v for k, v in self._state.items()}
        return {**self._obs(answer), **record, **states}

    def state(self) -> Fields:
        return self._state

    def load(self, state: Fields) -> None:
        self._ask(op="load", state={k: np.asarray(v).tolist() for k, v in state.items()})
        self._state = dict(state)

    def close(self) -> None:
        if self._child is None:
            return
        child, self._child = self._child, None
        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _obs(self, answer: dict) -> Fields:
        return flatten("obs", np.asarray(answer["obs"], self.observation_space.dtype))

    def _ask(self, op: str, **more: Any) -> dict:
        if self._child is None and op != "step":
            self._child = self._start()
        line = self._answer(json.dumps({"op": op, **more}))
        if not line:
            self.close()
            raise RuntimeError("the process ended")
        try:
            answer = json.loads(line)
        except json.JSONDecodeError:
            answer = None
        if not isinstance(answer, dict):
            self.close()  # questions and answers are out of step
            raise RuntimeError(f"not a JSON object: {line.strip()[:80]!r}")
        if "error" in answer:
            raise RuntimeError(str(answer["error"]))
        return answer

    def _answer(self, question: str) -> str:
        """The line that the child says, or nothing if there is no child any more."""
        if self._child is None:
            return ""
        assert self._child.stdin and self._child.stdout
        try:
            self._child.stdin.write(question + "\n")
            self._child.stdin.flush()
            # One question, one line: nothing of it can be in the reader's buffer yet.
            if not select.select([self._child.stdout], [], [], PATIENCE)[0]:
                self.close()
                raise RuntimeError(f"no answer within {PATIENCE} s")
            return self._child.stdout.readline()
        except BrokenPipeError:
            return ""

    def _start(self) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen(
                shlex.split(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C is for us; the child ends with its input
            )
        except (OSError, ValueError, IndexError) as error:
            raise EnvwrightError(f"cannot start {self._command!r}: {error}") from error


def _state(answer: dict) -> Fields:
    return {k: np.asarray(v) for k, v in answer.get("state", {}).items()}


def _space(described: dict) -> gymnasium.Space:
    if "n" in described:
        return gymnasium.spaces.Discrete(int(described["n"]))
    low, high = (np.asarray(described[k], np.float32) for k in ("low", "high"))
    return gymnasium.spaces.Box(low, high, dtype=np.float32)
