"""One game of the reference, for verification: its state can be read and set.

Before each step the C library's generator is seeded so that a serve, if there is one, follows the
register in the state. So a step is a function of state and action.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.records import Fields
from envwright.sim.simulator import Simulator
from envwright.zoo.pong.reference.binding import PufferPong
from envwright.zoo.pong.reference.libc import libc, next_bits, seed_for
from envwright.zoo.pong.reference.puffer_lanes import PongReferenceLanes
from envwright.zoo.pong.reference.register import LENGTH, from_words, shifted, to_words

MOTION = ("paddle_yl", "paddle_yr", "ball_x", "ball_y", "ball_vx", "ball_vy")  # float32[]
SCORES = ("score_l", "score_r")  # int32[]; C has unsigned ones
STATE = (*MOTION, *SCORES, "tick", "shown", "serves")  # int32[], float32[8], uint32[2]


class PongReference(Simulator):
    """PufferLib's Pong, one game.

    When a game is over, C begins the next within the step: the record of that step shows the
    next game. Otherwise a point leaves the last observation as it was, so that what is
    `shown` is part of the state.
    """

    loads = observes = True

    def __init__(self, frame_skip: int = 1, continuous: bool = False) -> None:
        self.options: dict[str, Any] = {"frame_skip": frame_skip, "continuous": continuous}
        self.pong = PufferPong(1, **self.options)
        self.name = f"PufferLib's Pong ({_description(frame_skip, continuous)})"
        self.observation_space = self.pong.single_observation_space
        self.action_space = self.pong.single_action_space
        game = self.pong.structs
        # Views of C's memory. Fields of one kind that follow each other are one array.
        fields: Any = game.dtype.fields
        first, scores = (fields[name][1] for name in ("paddle_yl", "score_l"))
        whole = game.view(np.uint8)
        self._motion = whole[first:scores].view(np.float32)
        self._scores = whole[scores : scores + 8].view(np.int32)
        self._tick = game["tick"]
        self._shown = self.pong.observations[0]
        self._step, self._handle = self.pong.binding.vec_step, self.pong.handle
        self._srand = libc().srand
        self._seeds = seed_for(0), seed_for(1)
        self.reset(0)
        self._start = self.state()

    def lanes(self, num_envs: int) -> PongReferenceLanes:
        """Return the same game for the host loop of training."""
        return PongReferenceLanes(num_envs, **self.options)

    def reset(self, seed: int) -> Fields:
        self.pong.reset(seed)
        self._serve_by(next_bits(LENGTH))  # what C would draw from here on
        return {"obs": self._shown.copy(), **self._named()}

    def step(self, action: Any) -> Fields:
        self._srand(self._seeds[self._register & 1])
        pong = self.pong
        pong.actions[0] = self._clipped(action) if pong.continuous else action
        self._step(self._handle)
        if not self._tick[0]:  # C counts first, so that only a serve leaves 0
            self._serve_by(shifted(self._register))
        named = self._named()
        return {
            "obs": named["state.shown"],
            "reward": pong.rewards[..., 0].copy(),
            "terminated": pong.terminals[..., 0].copy(),
            "truncated": _NEVER,
            **named,
        }

    def state(self) -> Fields:
        return {name.removeprefix("state."): value for name, value in self._named().items()}

    def load(self, state: Fields) -> None:
        unknown = state.keys() - set(STATE)
        if unknown:
            raise EnvwrightError(f"{self.name} has no {min(unknown)!r}; it has {', '.join(STATE)}")
        if not 0 <= state.get("tick", 0) < 2**31:
            raise EnvwrightError(f"tick is {state['tick']}; it counts the steps from 0")
        state = self._start | state
        self._motion[:] = [state[name] for name in MOTION]
        self._scores[:] = [state[name] for name in SCORES]
        self._tick[0] = state["tick"]
        self._shown[:] = state["shown"]
        self._serve_by(from_words(state["serves"]))

    def observe(self) -> Fields:
        return {"obs": self._shown.copy()}

    def starts(self, seed: int, count: int) -> Fields:
        tables: dict[str, np.ndarray] = {}
        for row in range(count):
            for name, value in self.reset(seed + row).items():
                if row == 0:
                    tables[name] = np.empty((count, *value.shape), value.dtype)
                tables[name][row] = value
        return tables

    def close(self) -> None:
        self.pong.close()

    def _serve_by(self, register: int) -> None:
        self._register = register
        self._serves = to_words(register)
        self._serves.flags.writeable = False  # every record shows it until the next serve

    def _named(self) -> Fields:
        """Return a copy of the state as records hold it, in the fields' shapes."""
        motion, scores = self._motion.copy(), self._scores.copy()
        return {
            "state.paddle_yl": motion[..., 0],
            "state.paddle_yr": motion[..., 1],
            "state.ball_x": motion[..., 2],
            "state.ball_y": motion[..., 3],
            "state.ball_vx": motion[..., 4],
            "state.ball_vy": motion[..., 5],
            "state.score_l": scores[..., 0],
            "state.score_r": scores[..., 1],
            "state.tick": self._tick[..., 0].copy(),
            "state.shown": self._shown.copy(),
            "state.serves": self._serves,
        }

    @staticmethod
    def _clipped(action: Any) -> float:
        """PufferLib's Python class clips; C does not."""
        return min(max(np.asarray(action).item(), -1.0), 1.0)


_NEVER = np.array(False)
_NEVER.flags.writeable = False


def _description(frame_skip: int, continuous: bool) -> str:
    kind = "continuous" if continuous else "discrete"
    return f"{kind}, frame skip {frame_skip}"
