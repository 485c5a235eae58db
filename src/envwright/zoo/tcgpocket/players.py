"""Who can sit at a table of this game beside trained agents, and what they look at.

Tables show the whole observation (`OPTIONS`); `eyes` turns it into what an agent was trained on.
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
    """The opponents: answers to observations, masks and random words."""
    return {name: partial(opponents.answer, name, np) for name in opponents.OPPONENTS}


def eyes(options: dict[str, Any]) -> Callable[[np.ndarray], Array]:
    """From what a table shows to what an environment with these options shows."""
    if options.get("view", "raw") == "raw":
        return lambda observations: observations
    return partial(features.features, np)
