"""What the reference does: in whole episodes, and where something is out of the ordinary."""

from __future__ import annotations

import numpy as np

from envwright.zoo.halfcheetah.policies import gallop, rest, slam


def recorded(reference):
    """States, actions and records: an episode of each scripted policy."""
    cases = []
    for seed, policy in enumerate((gallop, slam, rest)):
        rng, memory, record = np.random.default_rng(seed), {}, reference.reset(seed)
        for t in range(1000):
            state = reference.state()
            action = policy(rng, reference.action_space, record["obs"], t, memory)
            record = reference.step(action)
            cases.append((state, action, record))
    return cases


# What is out of the ordinary, the numbers of a start that it changes, and the torques.
ODD = [
    ("one torque is no number", {}, [np.nan, 1, 1, 1, 1, 1]),
    ("torques are infinite", {}, [np.inf, -np.inf, 0, 0, 0, 0]),
    ("torques are huge", {}, [1e11, -1e11, 2, -2, 0, 0]),
    ("a place is no number", {"position": (3, np.nan)}, [1] * 6),
    ("a place is too far", {"position": (0, 2e10)}, [1] * 6),
    ("a speed is infinite", {"velocity": (5, np.inf)}, [1] * 6),
    ("an acceleration is too large", {"velocity": (4, 1e8)}, [1] * 6),
]


def odd_step(reference, change, action):
    """A start with some numbers changed, the torques, and the reference's record of a step."""
    reference.reset(0)
    state = reference.state()
    for name, (index, value) in change.items():
        state[name][index] = value
    action = np.float32(action)
    reference.load(state)
    with np.errstate(all="ignore"):
        return state, action, reference.step(action)
