"""Find the properties of a simulator that decide how it can be compared, by playing it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError, IncompatiblePair, NotReproducible
from envwright.schema.tolerance import EXACT, Tolerances
from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, is_over
from envwright.sim.simulator import Simulator
from envwright.sim.tape import Draw
from envwright.verify.compare import mismatches


def require_same_actions(reference: Simulator, twin: Simulator) -> None:
    a, b = reference.action_space, twin.action_space
    same = type(a) is type(b) and a.shape == b.shape
    if same and isinstance(a, gymnasium.spaces.Discrete):
        same = (a.n, a.start) == (b.n, b.start)  # type: ignore[attr-defined]
    elif same and isinstance(a, gymnasium.spaces.Box):
        same = np.allclose(a.low, b.low) and np.allclose(a.high, b.high)  # type: ignore[attr-defined]
    elif same:
        same = a == b
    if not same:
        raise IncompatiblePair(
            f"actions differ: {reference.name} takes {a}, {twin.name} takes {b}; "
            "wrap one of them so that both take the same"
        )


def require_reproducible(reference: Simulator, seed: int = 0, steps: int = 64) -> None:
    """Run the reference twice. Raises NotReproducible if its answers differ."""
    first, second = (trace(reference, seed, steps) for _ in range(2))
    for step, (a, b) in enumerate(zip(first, second, strict=False)):
        differ = mismatches(a, b, Tolerances(EXACT))
        if differ:
            raise NotReproducible(
                f"{reference.name} does not reproduce itself: with seed {seed}, step {step}, "
                f"{differ[0].field} was {differ[0].reference} and then {differ[0].twin}; "
                "seed all of its randomness in reset(seed)"
            )


def trace(sim: Simulator, seed: int, steps: int) -> list[Fields]:
    rng = np.random.default_rng(seed)
    records: list[Fields] = []
    try:
        records.append(sim.reset(seed))
        for step in range(steps):
            records.append(sim.step(draw_action(rng, sim.action_space)))
            if is_over(records[-1]):
                records.append(sim.reset(seed + 1 + step))
    except EnvwrightError:
        raise
    except Exception as error:
        raise EnvwrightError(
            f"{sim.name} raised {type(error).__name__} after {len(records)} resets and steps: "
            f"{error}"
        ) from error
    return records


def load_is_complete(sim: Simulator, seed: int = 1, steps: int = 40) -> bool:
    """Return whether a state that is read and loaded again continues as the original did.

    Unknown for a simulator with a generator that cannot be watched.
    """
    if sim.draws_unseen:
        return True
    rng = np.random.default_rng(seed)
    sim.reset(seed)
    played = []
    for _ in range(steps):
        state, action = sim.state(), draw_action(rng, sim.action_space)
        record = sim.step(action)
        played.append((state, action, record, len(sim.draws())))
        if is_over(record):
            break
    # Backwards: a hidden cyclic counter would be in step again forwards.
    for state, action, record, drawn in reversed(played):
        sim.load(state)
        again = sim.step(action)
        if not drawn and mismatches(record, again, Tolerances(EXACT)):
            return False
    return True


def is_stochastic(
    sim: Simulator, seed: int = 2, steps: int = 40, repeats: int = 6, watched: bool = True
) -> bool:
    """Return whether one state and action lead to several outcomes.

    Where draws are `watched`, only steps that draw are repeated; else all are, and a hidden state
    shows too. Without state access, return whether the reference draws anything while it steps.
    """
    rng = np.random.default_rng(seed)
    sim.reset(seed)
    for step in range(steps):
        state = sim.state() if sim.loads else None
        action = draw_action(rng, sim.action_space)
        record = sim.step(action)
        drew = bool(sim.draws())
        if state is None and drew:
            return True
        for _ in range(repeats if state is not None and (drew or not watched) else 0):
            sim.load(state)  # type: ignore[arg-type]
            if mismatches(record, sim.step(action), Tolerances(EXACT)):
                return True
        if is_over(record):
            sim.reset(seed + 1 + step)
    return False


def draw_alike(reference: Simulator, twin: Simulator, seeds: int = 4) -> bool:
    """Return whether both draw the same numbers in the same order from the same seed."""
    if not (reference.records_draws and twin.records_draws):
        return False
    for seed in range(seeds):
        action = draw_action(np.random.default_rng(seed), reference.action_space)
        try:
            ours, theirs = (_first_draws(sim, seed, action) for sim in (reference, twin))
        except Exception:
            continue  # the levels will report what it raised
        if [d.method for d in ours] != [d.method for d in theirs]:
            return False
        if not all(np.array_equal(a.value, b.value) for a, b in zip(ours, theirs, strict=True)):
            return False
    return True


def _first_draws(sim: Simulator, seed: int, action: Any) -> tuple[Draw, ...]:
    sim.reset(seed)
    start = sim.draws()
    sim.step(action)
    return start + sim.draws()
