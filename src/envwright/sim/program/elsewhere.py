"""Whether code does the same where it is not verified: uncompiled, and in single precision.

The levels run compiled programs, in the precision of a check. Training may use another, and people
try a step by hand. Rounding differs there; the rules must not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from envwright.core.env import Env
from envwright.sim.action_rows import row_dtype
from envwright.sim.actions import draw_action
from envwright.sim.functional import game_of, taken_by

LANES, STEPS = 16, 24
BY_HAND = 6  # of so many steps, one is also taken uncompiled, which is slow
CLOSE = 1e-2  # of a number, and at least absolutely: chaos in a single step is none
MOST = 0.05  # of steps, where rounding decides


def elsewhere(env: Env, single: Env | None, x64: bool, seed: int) -> str:
    """Return what differs, or an empty text. `single` is the environment as training makes it."""
    with jax.enable_x64(x64):
        game = game_of(env)
        bank = _actions(env, seed)
        step = jax.jit(jax.vmap(_noisy(env)))
        other = jax.jit(jax.vmap(_given(single))) if single is not None else None
        following = jax.jit(lambda keys: jax.vmap(jax.random.split)(keys)[:, 0])
        keys = following(jax.random.split(jax.random.key(seed), LANES))
        states = jax.jit(jax.vmap(lambda key: game.reset(key)[1]))(keys)
        by_hand, rounded = [], []
        for time in range(STEPS):
            actions = bank[time]
            noise, result = step(keys, states, actions)
            seen = jax.tree.map(_plain, result)
            if time % BY_HAND == 0:
                lane = time % LANES
                one = _lane((keys, states, actions), lane)
                by_hand.append(_differ(_noisy(env)(*one)[1], _lane(seen, lane)))
            if other is not None:
                given = jax.tree.map(_plain, (states, actions, noise))
                with jax.enable_x64(False):
                    got = jax.tree.map(_plain, other(*given))
                rounded += [_differ(_lane(got, n), _lane(seen, n)) for n in range(LANES)]
            states = result[1]
            keys = following(keys)
    if any(by_hand):
        return "a step that is not compiled does something else"
    if sum(rounded) > MOST * len(rounded):
        return f"{sum(rounded)} of {len(rounded)} steps differ with dtype='float32'"
    return ""


def _actions(env: Env, seed: int) -> list[Any]:
    """Random actions, `[LANES, …]` for each step, as the levels give them to a program."""
    rng, own = np.random.default_rng(seed), env.action_space()
    space = own.to_gymnasium()
    rows = [[draw_action(rng, space) for _ in range(LANES)] for _ in range(STEPS)]
    return [taken_by(own, np.asarray(row, row_dtype(space))) for row in rows]


def _noisy(env: Env) -> Callable[..., Any]:
    """Return a step that also gives what it drew."""
    step = _given(env)

    def noisy(key: Any, state: Any, action: Any) -> Any:
        noise = env.draw(key, state, action, env.default_params)
        return noise, step(state, action, noise)

    return noisy


def _given(env: Env) -> Callable[..., Any]:
    return game_of(env).advance_with


def _lane(result: Any, lane: int) -> Any:
    return jax.tree.map(lambda x: x[lane], result)


def _plain(value: Any) -> Any:
    is_key = jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)
    return value if is_key else np.asarray(value)


def _differ(got: Any, wanted: Any) -> bool:
    """Return whether two steps differ by more than rounding. Random keys are not compared."""
    pairs = zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True)
    return any(_far(_plain(a), _plain(b)) for a, b in pairs)


def _far(a: Any, b: Any) -> bool:
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return False
    if b.dtype.kind != "f":
        return not np.array_equal(a, b)
    near = np.isclose(a.astype(float), b.astype(float), rtol=CLOSE, atol=CLOSE, equal_nan=True)
    return not near.all()
