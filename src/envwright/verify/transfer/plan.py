"""The plan of level 4, fixed before anything is compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core import limits
from envwright.core.limits import check_finite, check_whole
from envwright.errors import EnvwrightError
from envwright.schema.translation import Transfer
from envwright.train.config import PPOConfig, configure
from envwright.verify.transfer.units import FEWEST

MOST_STAGES = 100
MOST_STEPS = 10**6  # of an episode
DEFAULT_REFERENCE_SEEDS = 3  # a slow reference; a room that can afford it says more


@dataclass(frozen=True)
class TransferPlan:
    """The plan: policies trained on either side, evaluated on both."""

    margin: float  # the change of mean return that does not matter
    why: str
    config: PPOConfig = PPOConfig()
    seeds: int = 10  # trained in the twin
    reference_seeds: int = DEFAULT_REFERENCE_SEEDS
    stages: tuple[float, ...] = (0.1, 0.25, 1.0)  # shares of training; half-trained ones too
    episodes: int = 100  # per policy and environment
    horizon: int = 10_000  # steps of an episode, at most
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_finite("the margin of level 4", self.margin)
        if not self.margin > 0:
            raise EnvwrightError(f"the margin of level 4 must be above 0, not {self.margin}")
        for name in ("seeds", "reference_seeds"):
            if getattr(self, name) < FEWEST:
                raise EnvwrightError(
                    f"level 4 needs at least {FEWEST} {name.replace('_', ' ')}, "
                    f"not {getattr(self, name)}"
                )
            check_whole(f"{name} of level 4", getattr(self, name), FEWEST, limits.AGENTS)
        if not self.stages or not all(0 < share <= 1 for share in self.stages):
            raise EnvwrightError(f"stages are shares of training above 0, not {self.stages}")
        check_whole("the number of stages", len(self.stages), 1, MOST_STAGES)
        if self.episodes < 2 or self.horizon < 1:
            raise EnvwrightError("level 4 needs 2 or more episodes, of at least 1 step")
        check_whole("episodes of level 4", self.episodes, 2, limits.EPISODES)
        check_whole("the horizon of level 4", self.horizon, 1, MOST_STEPS)
        if not 0 < self.alpha < 1:
            raise EnvwrightError(f"alpha of level 4 lies between 0 and 1, not at {self.alpha}")


@dataclass(frozen=True)
class TransferRequest:
    """Options for level 4 that the user sets on top of the room's plan."""

    policies: Path | None = None  # trained before, or the folder to keep them in
    margin: float | None = None
    settings: dict[str, str] | None = None  # settings of PPO


def plan_from(l4: Transfer, train: dict[str, Any]) -> TransferPlan:
    """Build the plan from the table `[l4]` and the settings of `[train]`.

    `[l4.train]` holds settings of PPO for level 4 alone: it trains many policies, and they need
    not be the best.
    """
    config = configure(PPOConfig(), {**train, **l4.train})
    return TransferPlan(l4.margin, l4.why, config, **l4.sizes)
