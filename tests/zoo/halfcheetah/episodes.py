"""Whole episodes of the reference, its solver going on to the end."""

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
