"""The configuration of a training run: numbers only, frozen, stored with every run."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from dataclasses import dataclass
from typing import Any

from envwright.core import limits
from envwright.core.limits import check_finite, check_whole
from envwright.errors import EnvwrightError
from envwright.train.shapes import Shape, parse_shape

MOST = {
    "steps": limits.STEPS,
    "num_envs": limits.LANES,
    "rollout": limits.ROLLOUT,
    "epochs": limits.REPEATS,
    "minibatches": limits.LANES,
}


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation. The defaults are the paper's if it names them."""

    steps: int = 500_000  # environment steps of each seed, rounded up to whole updates
    num_envs: int = 64
    rollout: int = 32  # steps of each environment between updates
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2.5e-4
    anneal: bool = True  # the learning rate falls to zero along a line
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5  # weight of the value loss
    max_grad_norm: float = 0.5
    network: str = "64x64"  # layers, or 2M, 20M, 200M parameters: see `shapes`
    memory: int = 0  # width of a GRU; 0 is none
    normalise_obs: bool = False
    normalise_reward: bool = False

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            check_whole(name, getattr(self, name), 1, most)
        if self.memory < 0:
            raise EnvwrightError(f"memory must be 0 (none) or a width, not {self.memory}")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise EnvwrightError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        for name in ("learning_rate", "clip", "max_grad_norm"):
            if not getattr(self, name) > 0:
                raise EnvwrightError(f"{name} must be above 0, not {getattr(self, name)}")
        for each in dataclasses.fields(self):
            if each.type == "float":
                check_finite(each.name, getattr(self, each.name))
        check_whole("memory", self.memory, 0, limits.WIDTH)
        self.shape()
        rows, what = (
            (self.num_envs, "num_envs")
            if self.memory
            else (self.num_envs * self.rollout, "num_envs * rollout")
        )
        if rows % self.minibatches:
            raise EnvwrightError(
                f"{what} = {rows} does not divide into {self.minibatches} minibatches; "
                "choose numbers that do"
            )

    @property
    def batch(self) -> int:
        """The environment steps of one update."""
        return self.num_envs * self.rollout

    @property
    def updates(self) -> int:
        """The updates of the whole run."""
        return -(-self.steps // self.batch)

    @property
    def gradient_steps(self) -> int:
        """The steps of the optimiser in the whole run."""
        return self.updates * self.epochs * self.minibatches

    def shape(self) -> Shape | None:
        """The shape of the network, or None if a number of parameters is requested."""
        return parse_shape(self.network)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dataclasses.asdict(self)


def configure(base: PPOConfig, changes: dict[str, Any]) -> PPOConfig:
    """Change some fields of `base`; values may be text, as on a command line."""
    hints = typing.get_type_hints(PPOConfig)
    converted = {}
    for name, value in changes.items():
        if name not in hints:
            near = difflib.get_close_matches(name, hints, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(hints)}"
            raise EnvwrightError(f"training has no setting {name!r}; {hint}")
        converted[name] = _converted(name, value, hints[name])
    return dataclasses.replace(base, **converted)


def _converted(name: str, value: Any, kind: type | types.UnionType) -> Any:
    try:
        if kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        if kind is int:
            number = float(value)
            if number != int(number):
                raise ValueError
            return int(number)
        return kind(value)  # type: ignore[operator]
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        wanted = (
            "true or false" if kind is bool else "a whole number" if kind is int else "a number"
        )
        raise EnvwrightError(f"{name} must be {wanted}, not {value!r}") from error
