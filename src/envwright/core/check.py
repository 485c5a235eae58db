"""Check that an environment keeps the promises that every room makes.

`check_env` plays a few lanes with random legal actions and looks at what came back. It
raises `EnvCheckFailed` with one sentence for each broken promise, and otherwise returns
a `Report` that also names what it could not look at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from envwright.core.env import Env
from envwright.core.promises import PROMISES, PROMISES_BEFORE_A_RUN, Unchecked
from envwright.core.subject import Subject
from envwright.errors import EnvwrightError


class EnvCheckFailed(EnvwrightError):
    """An environment broke promises; `problems` has one sentence for each."""

    def __init__(self, name: str, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([f"{name} breaks {len(problems)} promise(s):", *problems]))


@dataclass(frozen=True)
class Report:
    """The promises that were checked, and those that could not be."""

    name: str
    passed: tuple[str, ...]
    unchecked: dict[str, str]  # promise -> why nothing could be said about it
    steps: int
    episodes: int  # episodes that ended
    worst_ulps: float  # largest difference that was seen and allowed

    def __str__(self) -> str:
        looked = f"{len(self.passed)} promises kept in {self.steps} steps, {self.episodes} episodes"
        lines = [f"{self.name}: {looked}, floats within {self.worst_ulps:.3g} ulps"]
        lines += [f"not checked: {promise}, since {why}" for promise, why in self.unchecked.items()]
        return "\n".join(lines)


def check_env(
    env: Env,
    params: Any = None,
    *,
    steps: int = 64,
    lanes: int = 4,
    eager_steps: int = 3,
    seed: int = 0,
    ulps: float = 4.0,
    only: Collection[str] | None = None,
) -> Report:
    """Check every promise, or `only` those named; `PROMISES` has their names.

    `ulps` is how far compiled floats may be from each other, and `eager_steps` how many
    steps are run without compilation, which is slow for large environments.
    """
    unknown = sorted(set(only or ()) - PROMISES.keys())
    if unknown:
        raise EnvwrightError(f"no promise {unknown[0]!r}; there are {', '.join(PROMISES)}")
    subject = Subject(env, params, steps, lanes, eager_steps, seed, ulps)
    passed, unchecked, problems = [], {}, []
    for promise in PROMISES if only is None else [p for p in PROMISES if p in only]:
        try:
            problem = _problem(promise, subject)
        except Unchecked as reason:
            unchecked[promise] = str(reason)
            continue
        if problem is None:
            passed.append(promise)
            continue
        problems.append(f"{promise}: {problem}")
        if promise in PROMISES_BEFORE_A_RUN:
            break
    if problems:
        raise EnvCheckFailed(env.name, problems)
    ended = len(subject.play.ended())
    return Report(env.name, tuple(passed), unchecked, steps * lanes, ended, subject.worst_ulps)


def _problem(promise: str, subject: Subject) -> str | None:
    """The first way in which a promise is broken; raising an error is one."""
    try:
        return next(PROMISES[promise](subject), None)
    except Unchecked:
        raise
    except Exception as error:
        first_line = (str(error) or "no message").splitlines()[0]
        return f"{type(error).__name__}: {first_line}"
