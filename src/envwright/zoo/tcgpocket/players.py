"""The scripted players of this game, and the observations of trained agents.

Tables show the whole observation (`OPTIONS`); `eyes` converts it for an agent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.tcgpocket import features, opponents

OPTIONS = {"view": "raw"}


def scripted() -> dict[str, Callable[..., Array]]:
    """Return the opponents: answers to observations, masks and random words."""
    return {name: partial(opponents.answer, name, np) for name in opponents.OPPONENTS}


def eyes(options: dict[str, Any]) -> Callable[[np.ndarray], Array]:
    """Return a function from a table's observation to that of an environment with these options."""
    if options.get("view", "raw") == "raw":
        return lambda observations: observations
    return partial(features.features, np)
