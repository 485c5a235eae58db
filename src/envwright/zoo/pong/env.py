"""Puffer Pong as an Env: steps of several sub-frames, points, games, observations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.core.env import Env, select
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete, Space
from envwright.errors import EnvwrightError
from envwright.zoo.pong.rules import RALLY, Court, Rally, play_frame, seen, served
from envwright.zoo.pong.serves import Serves, draw_serves, next_serve

RETURNED = 0.1  # reward for returning the ball
LONGEST_SKIP = 1000


@pytree_dataclass
class State:
    """A rally, the points, and the last observation."""

    rally: Rally
    score_l: jax.Array  # int32[]
    score_r: jax.Array  # int32[]
    tick: jax.Array  # int32[], steps since the last point, not since the game began: a quirk
    shown: Rally  # as `seen`
    serves: Serves


@pytree_dataclass
class Progress:
    """The progress of a step, which is over where a side scored."""

    rally: Rally
    won: jax.Array  # bool[]
    lost: jax.Array  # bool[]
    returned: jax.Array  # bool[]
    moved: jax.Array  # bool[], at least one sub-frame passed without a point


class Pong(Env[State, Court]):
    """Move the right paddle: 0 stays, 1 goes up, 2 goes down. The first to 21 points wins.

    A point is worth 1 or -1 and a ball returned 0.1; of a step of `frame_skip` sub-frames only
    the last of these counts, and a point ends the step. With `continuous` an action is a
    direction from -1 to 1, float32[1].

    Version 1 is the reference's game bit for bit. Its quirks are named where they are; two of
    them concern every training loop: after a point that does not end the game the observation
    is still the one *before* it, and a game that is over is followed by the next within the
    step, so that `final_observation` is the first observation of the next game.
    """

    id = "pong"
    version = 1
    default_params = Court()
    restarts = True

    def __init__(self, frame_skip: int = 1, continuous: bool = False) -> None:
        if isinstance(frame_skip, bool) or not isinstance(frame_skip, int | np.integer):
            raise EnvwrightError(f"frame_skip is a whole number, not {frame_skip!r}")
        if not 1 <= frame_skip <= LONGEST_SKIP:
            raise EnvwrightError(f"frame_skip is {frame_skip}; choose one from 1 to {LONGEST_SKIP}")
        if not isinstance(continuous, bool | np.bool_):
            raise EnvwrightError(f"continuous is true or false, not {continuous!r}")
        self.frame_skip, self.continuous = int(frame_skip), bool(continuous)

    def draw_start(self, key: jax.Array, params: Court) -> Serves:
        return draw_serves(key)

    def start(self, noise: Serves, params: Court) -> State:
        straight, serves = next_serve(noise)
        rally, none = served(straight, params), jnp.int32(0)
        shown = seen(rally, params)
        return State(rally, score_l=none, score_r=none, tick=none, shown=shown, serves=serves)

    def transition(
        self, state: State, action: jax.Array, noise: None, params: Court
    ) -> tuple[State, jax.Array, jax.Array, dict]:
        step = self._play(state.rally, self._direction(action), params)
        scored = step.won | step.lost
        score_l = state.score_l + step.lost.astype(jnp.int32)
        score_r = state.score_r + step.won.astype(jnp.int32)
        # Only the side that scored counts, as in the reference.
        ended = jnp.where(step.won, score_r, score_l) == params.points
        ended &= scored
        straight, serves = next_serve(state.serves)
        # A point leaves what was shown before it: a quirk. If it came at once, that is older yet.
        shown = select(step.moved, seen(step.rally, params), state.shown)
        fresh = served(straight, params)
        return (
            State(
                rally=select(scored, fresh, step.rally),
                score_l=jnp.where(ended, 0, score_l),
                score_r=jnp.where(ended, 0, score_r),
                tick=jnp.where(scored, 0, state.tick + 1),
                shown=select(ended, seen(fresh, params), shown),
                serves=select(scored, serves, state.serves),
            ),
            _reward(step),
            ended,
            {},
        )

    def _play(self, rally: Rally, direction: jax.Array, params: Court) -> Progress:
        """Play sub-frames until a side scores; the rally stays as it was before that."""

        def frame(step: Progress, _: None) -> tuple[Progress, None]:
            after, events = play_frame(step.rally, direction, params)
            on = ~(step.won | step.lost)
            goes_on = on & ~events.won & ~events.lost
            return Progress(
                rally=select(goes_on, after, step.rally),
                won=step.won | on & events.won,
                lost=step.lost | on & events.lost,
                returned=step.returned | goes_on & events.returned,
                moved=step.moved | goes_on,
            ), None

        no = jnp.bool_(False)
        begun = Progress(rally, won=no, lost=no, returned=no, moved=no)
        # A loop, not unrolled: compiled to one, every number would be computed again and again.
        return lax.scan(frame, begun, None, length=self.frame_skip)[0]

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        shown = [getattr(state.shown, name) for name in RALLY]
        # Whole numbers are divided: 0 throughout a game. A quirk.
        scores = [
            lax.div(score, self.default_params.points) for score in (state.score_l, state.score_r)
        ]
        return jnp.stack([*shown, *(score.astype(jnp.float32) for score in scores)])

    def observation_space(self, params: Court | None = None) -> Box:
        # As the reference declares it, though the ball may be shown a sub-frame's way below 0,
        # beyond the lower wall or the left side: a quirk.
        return Box(np.zeros(8, np.float32), np.ones(8, np.float32))

    def action_space(self, params: Court | None = None) -> Space:
        if self.continuous:
            return Box(-np.ones(1, np.float32), np.ones(1, np.float32))
        return Discrete(3)

    def render(self, state: State) -> np.ndarray:
        from envwright.zoo.pong.render import picture

        return picture(state, self.default_params)

    def _direction(self, action: jax.Array) -> jax.Array:
        if self.continuous:
            # PufferLib's Python class clips, its C code does not.
            return jnp.clip(jnp.asarray(action, jnp.float32).reshape(()), -1.0, 1.0)
        return jnp.where(action == 1, 1.0, jnp.where(action == 2, -1.0, 0.0)).astype(jnp.float32)


def _reward(step: Progress) -> jax.Array:
    """Return the reward, which is assigned, not summed, over the sub-frames."""
    returned = jnp.where(step.returned, RETURNED, 0.0)
    return jnp.where(step.won, 1.0, jnp.where(step.lost, -1.0, returned)).astype(jnp.float32)
