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

A process may do more, and reports it in its answer to `spaces`: `"packed": true` if it takes and
gives arrays as bytes (see encoding.py), `"time_limit": 500`, and `"does": […]` out of

| question | answer |
|---|---|
| `{"op": "observe"}` | `{"obs": …}` of the loaded state |
| `{"op": "starts", "seed", "count"}` | a table: `{"obs": [N, …], "state.…": [N, …]}` |
| `{"op": "step_table", "states": {…: [N, …]}, "actions": [N, …]}` | a table of steps |
| `{"op": "run_table", "starts": {…: [N, …]}, "actions": [N, T, …]}` | a table `[N, T, …]` |
| `{"op": "sample_table", "state", "action", "count", "seed"}` | a table of outcomes |
| `{"op": "reset_with", "noise"}`, `{"op": "step_with", "action", "noise"}` | as reset and step |
| the same with `"tape": {METHOD: [NUMBER, …]}` (`"tape"`) | as reset and step, with these draws |
| `{"op": "call", "function", "inputs": {…: [N, …]}}` | a table of the function's outputs |
| any, with `"loaded": {…}` | it loads that state first (`"loads_along"`) |
| `{"op": "race", "lanes", "steps", "seed"}` | the last step of a long run of many lanes, a table |
| `{"op": "elsewhere", "seed": 7}` | `{"text": …}`: what differs uncompiled or in single precision |
| `{"op": "loaded"}` | `{"modules": {NAME: FILE}, "mapped": […]}` of its processes |
| `{"op": "profile", "lanes"}` | `{"text": …}`: where the time goes, in words |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim import bounds
from envwright.sim.conversation import Child, Conversation, start_command
from envwright.sim.encoding import space_from
from envwright.sim.records import Fields, as_state, flatten, outcome, stack, unstack
from envwright.sim.simulator import Simulator, TwinRaised
from envwright.sim.tape import Draw, tape_of

ALONG, LOADS_ALONG = "loaded", "loads_along"
TAPE = "tape"  # takes draws by method, as they are
LEAST = 256  # numbers of a record, until one with a state has been seen
FIRST = ("spaces", "loaded", "reset", "reset_with")  # their answers have unknown sizes
RECORDS = ("reset", "reset_with", "step", "step_with")
OWN_STATE = ("load", "reset", "reset_with")  # these forget what was loaded


class CommandSimulator(Simulator):
    """Drives a program over its standard input and output.

    `start` starts it in another way than as an ordinary process, for instance in a jail.
    """

    def __init__(
        self,
        command: str,
        *,
        name: str | None = None,
        start: Callable[[], Child] | None = None,
        patience: float | None = None,
    ) -> None:
        self.name = name or f"command:{command}"
        self._talk = Conversation(start or partial(start_command, command), patience)
        self._pending: Fields | None = None  # a state that the next question brings along
        self._size = 0  # numbers of a record, as far as it is known
        try:
            self._take(self._ask(op="spaces"))
        except EnvwrightError:
            raise
        except Exception as error:  # whatever its description leads to
            self.close()
            known = isinstance(error, TwinRaised)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            raise EnvwrightError(
                f"{self.name.removeprefix('command:')!r} did not describe its spaces: {reason}"
            ) from error

    def _take(self, told: dict[str, Any]) -> None:
        """Read the program's description of itself."""
        self.action_space = space_from(told["action"])
        self.observation_space = space_from(told["observation"])
        self._size = bounds.elements_of(self.observation_space)
        if self._size > bounds.SPARE:
            raise ValueError(f"an observation of {self._size:,} numbers")
        self.loads = bool(told.get("loads", False))
        self.time_limit = told.get("time_limit")
        self.draws_unseen = bool(told.get("draws_unseen", False))
        self._talk.packed = bool(told.get("packed", False))
        self.does = frozenset(told.get("does", ()))
        self.observes = "observe" in self.does
        for table in ("step_table", "run_table", "sample_table"):
            if table in self.does:  # callers look for these attributes to learn what it can do
                setattr(self, table, getattr(self, f"_{table}"))
        if {"reset_with", "step_with"} <= self.does:
            self.follow = self._follow
        self._tapes = TAPE in self.does
        if self._tapes:
            self.follows_draws, self.begins_by_draws = True, False

    def reset(self, seed: int) -> Fields:
        return self._started(self._ask(op="reset", seed=seed))

    def step(self, action: Any) -> Fields:
        return self._stepped(self._ask(op="step", action=np.asarray(action)))

    def state(self) -> Fields:
        return self._state

    def load(self, state: Fields) -> None:
        self._pending = _table(state)
        self._state = dict(state)
        if LOADS_ALONG not in self.does or not self._talk.goes_on:
            self._ask(op="load", state=self._pending)

    def _ask(self, op: str, rows: int = 1, **more: Any) -> dict[str, Any]:
        """Return the answer; a loaded state goes along with the question, which saves another one.

        An answer has as many rows, and these are about as large as the largest record so far.
        """
        pending, self._pending = self._pending, None
        if pending is not None and op not in OWN_STATE:
            more[ALONG] = pending
        known = None if op in FIRST else bounds.SMALL + 4 * rows * max(self._size, LEAST)
        answer = self._talk.ask(op, at_most=known, **more)
        if op in RECORDS:
            self._size = max(self._size, bounds.elements(answer))
        return answer

    def observe(self) -> Fields:
        return flatten("obs", self._obs(self._ask(op="observe")))

    def starts(self, seed: int, count: int) -> Fields:
        if "starts" not in self.does:
            return super().starts(seed, count)
        return _table(self._ask(op="starts", rows=count, seed=seed, count=count))

    def step_many(self, states: Sequence[Fields], actions: Sequence[Any]) -> list[Fields]:
        if "step_table" not in self.does:
            return super().step_many(states, actions)
        return unstack(self._step_table(states, actions))

    def race(self, lanes: int, steps: int, seed: int) -> Fields:
        """Return where `lanes` games are after `steps` steps of random actions."""
        rows = 3 * lanes  # before, after, and what the step gave
        return _table(self._ask(op="race", rows=rows, lanes=lanes, steps=steps, seed=seed))

    def profile(self, lanes: int) -> str:
        """Describe where the time of a step goes; empty if the program does not report it."""
        return str(self._ask(op="profile", lanes=lanes)["text"]) if "profile" in self.does else ""

    def elsewhere(self, seed: int) -> str:
        """Return what differs uncompiled or in single precision; nothing if it cannot say."""
        if "elsewhere" not in self.does:
            return ""
        return str(self._ask(op="elsewhere", seed=seed)["text"])

    def loaded(self) -> dict[str, Any]:
        """Return the modules and files that its processes hold, if it reports them."""
        return self._ask(op="loaded") if "loaded" in self.does else {}

    def _step_table(self, states: Sequence[Fields], actions: Sequence[Any]) -> Fields:
        moves = np.array([np.asarray(a) for a in actions])
        asked = {"states": stack(states), "actions": moves}
        return _table(self._ask(op="step_table", rows=len(moves), **asked))

    def _run_table(self, starts: Sequence[Fields], actions: np.ndarray) -> Fields:
        rows = actions.shape[0] * actions.shape[1]
        return _table(self._ask(op="run_table", rows=rows, starts=stack(starts), actions=actions))

    def _sample_table(self, state: Fields, action: Any, count: int, seed: int) -> Fields:
        asked = {"state": state, "action": np.asarray(action), "count": count, "seed": seed}
        return _table(self._ask(op="sample_table", rows=count, **asked))

    # --- recorded draws ----------------------------------------------------------------------

    def reset_with(self, draws: Sequence[Draw]) -> Fields:
        if self._tapes:
            return self._started(self._ask(op="reset_with", tape=tape_of(draws)))
        return self._started(self._ask(op="reset_with", noise=self._start_noise(draws)))

    def step_with(self, action: Any, draws: Sequence[Draw]) -> Fields:
        if self._tapes:
            move, tape = np.asarray(action), tape_of(draws)
            return self._stepped(self._ask(op="step_with", action=move, tape=tape))
        if self._step_noise is None:
            return self.step(action)
        noise = self._step_noise(draws)
        return self._stepped(self._ask(op="step_with", action=np.asarray(action), noise=noise))

    # --- questions and answers ---------------------------------------------------------------

    def close(self) -> None:
        self._talk.close()

    def _started(self, answer: dict[str, Any]) -> Fields:
        self._state = _table(answer.get("state", {}))
        return {**flatten("obs", self._obs(answer)), **as_state(self._state)}

    def _stepped(self, answer: dict[str, Any]) -> Fields:
        self._state = _table(answer.get("state", {}))
        ends = (answer["terminated"], answer["truncated"])
        return outcome(self._obs(answer), answer["reward"], *ends, self._state)

    def _obs(self, answer: dict[str, Any]) -> Any:
        obs = answer["obs"]
        plain = not isinstance(obs, dict | np.ndarray)
        return np.asarray(obs, self.observation_space.dtype) if plain else obs


def _table(answer: dict[str, Any]) -> Fields:
    return {k: np.asarray(v) for k, v in answer.items()}
