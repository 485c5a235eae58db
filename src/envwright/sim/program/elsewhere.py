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
    for each, precise in ((env, x64), *([(single, False)] if single is not None else [])):
        with jax.enable_x64(precise):
            try:
                told = _by_hand(each, seed)
            except TypeError:
                if not precise:
                    raise
                told = ""  # whole numbers of 32 and 64 bits meet; nobody trains so
            if told:
                return told
    try:
        return "" if single is None else _rounded(env, single, x64, seed)
    except TypeError:
        # Tables that were made in the other precision; level 1 judges this one by itself.
        return ""


def _by_hand(env: Env, seed: int) -> str:
    """Compare starts and steps with and without the compiler."""
    game, bank = game_of(env), _actions(env, seed)
    start, step = jax.jit(jax.vmap(game.reset)), jax.jit(jax.vmap(_noisy(env)))
    keys = _following(jax.random.split(jax.random.key(seed), LANES))
    begun = start(keys)
    if _differ(game.reset(keys[0]), _lane(jax.tree.map(_plain, begun), 0)):
        return "a start that is not compiled does something else"
    states = begun[1]
    for time in range(STEPS):
        given = (keys, states, bank[time])
        result = step(*given)
        if time % BY_HAND == 0:
            lane = time % LANES
            if _differ(_noisy(env)(*_lane(given, lane)), _lane(jax.tree.map(_plain, result), lane)):
                return "a step that is not compiled does something else"
        states, keys = result[1][1], _following(keys)
    return ""


def _rounded(env: Env, single: Env, x64: bool, seed: int) -> str:
    """Compare steps in single precision with those of the precision that is judged."""
    differ = []
    with jax.enable_x64(x64):
        bank = _actions(env, seed)
        step, other = jax.jit(jax.vmap(_noisy(env))), jax.jit(jax.vmap(_given(single)))
        keys = _following(jax.random.split(jax.random.key(seed), LANES))
        states = jax.jit(jax.vmap(lambda key: game_of(env).reset(key)[1]))(keys)
        for time in range(STEPS):
            noise, result = step(keys, states, bank[time])
            seen = jax.tree.map(_plain, result)
            given = jax.tree.map(_plain, (states, bank[time], noise))
            with jax.enable_x64(False):
                got = jax.tree.map(_plain, other(*given))
            differ += [_differ(_lane(got, n), _lane(seen, n)) for n in range(LANES)]
            states, keys = result[1], _following(keys)
    if sum(differ) > MOST * len(differ):
        return f"{sum(differ)} of {len(differ)} steps differ with dtype='float32'"
    return ""


@jax.jit
def _following(keys: Any) -> Any:
    return jax.vmap(jax.random.split)(keys)[:, 0]


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
