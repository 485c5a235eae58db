"""JAX or Rust? The paper's criteria (its table 7), applied to what an environment shows.

| property | JAX | Rust |
|---|---|---|
| branching | many conditionals | sequential, data-dependent |
| state | arrays of a fixed size | of variable size, pointers |
| parallelism | SIMD, thousands of lanes | threads |
| best for | turn-based and card games | hardware emulation |
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from envwright.core.hardware import chosen
from envwright.sim.actions import draw_action
from envwright.sim.gymnasium_env import CHANCE
from envwright.sim.records import is_over
from envwright.translate.proposal.calls import is_plain, watch_calls
from envwright.translate.proposal.noise import channels
from envwright.translate.proposal.played import Play, play
from envwright.translate.proposal.reads import Shape, shape
from envwright.translate.proposal.subject import Subject, open_subject
from envwright.translate.proposal.survey import Survey

BOUNDED = 64  # elements of a list that may as well be an array with a count
LARGE = 256 * 1024  # bytes of one lane: a thousand of them fill a cache, not a register
TIMED = 0.3  # seconds
WORDS = {"jax": "JAX", "rust": "Rust"}
PLAIN_OBJECTS = ("builtins", "numpy", "gymnasium", "random")  # modules whose types hold no rules


@dataclass(frozen=True)
class Criterion:
    """One property: what was observed, and which target it favours."""

    name: str
    seen: str
    points_to: str  # jax, rust, or either
    weight: int = 1


@dataclass(frozen=True)
class Suggestion:
    """A target, and why."""

    simulator: str
    criteria: tuple[Criterion, ...]

    def score(self, backend: str) -> int:
        """Total weight of the criteria that favour a target."""
        return sum(c.weight for c in self.criteria if c.points_to == backend)

    @property
    def backend(self) -> str:
        """The heavier side, or JAX in a tie, since it needs no toolchain."""
        return "rust" if self.score("rust") > self.score("jax") else "jax"

    @property
    def confidence(self) -> str:
        """The confidence in plain words."""
        ahead = abs(self.score("jax") - self.score("rust"))
        if not any(c.points_to != "either" for c in self.criteria):
            return "a guess: nothing that was seen points anywhere"
        if ahead <= 1:
            return "a close call: either will do"
        return "likely, with reasons on the other side" if ahead <= 3 else "clear"

    @property
    def sentence(self) -> str:
        """The recommendation with its strongest reason."""
        mine = [c for c in self.criteria if c.points_to == self.backend]
        best = max(mine, key=lambda c: c.weight, default=None)
        reason = f"{best.name}: {best.seen}" if best else "nothing speaks against it"
        return f"{WORDS[self.backend]}, {self.confidence.partition(':')[0]}; {reason}."

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "simulator": self.simulator,
            "backend": self.backend,
            "confidence": self.confidence,
            "criteria": [asdict(criterion) for criterion in self.criteria],
        }


def suggest(simulator: str, hardware: str | None = None) -> Suggestion:
    """Survey a simulator and weigh what is observed, for this hardware or what is here."""
    here = chosen(hardware)
    subject = open_subject(simulator)
    try:
        seen = play(subject.simulator)
        functions = watch_calls(subject) if subject.cls else {}
        found = _weigh(subject, seen, shape(f for f in functions.values() if f.in_step))
        return Suggestion(subject.name, (*found, _hardware(here), _cost(subject)))
    finally:
        subject.simulator.close()


def suggest_from(survey: Survey, hardware: str | None = None) -> Suggestion:
    """Suggest from an existing survey, without timing."""
    called = [f for f in survey.functions.values() if f.in_step]
    found = _weigh(survey.subject, survey.play, shape(called))
    return Suggestion(survey.subject.name, (*found, _hardware(chosen(hardware))))


def _weigh(subject: Subject, seen: Play, code: Shape) -> tuple[Criterion, ...]:
    known = subject.cls is not None
    return (
        _state(subject, seen),
        _branching(code, known),
        _loops(code, known),
        _chance(subject, seen),
        _parallelism(subject, seen),
        _implementation(subject),
    )


# --- criteria --------------------------------------------------------------------------------


def _state(subject: Subject, seen: Play) -> Criterion:
    objects = foreign_objects(subject)
    varying = [f for f in seen.state.values() if not f.fixed]
    if not seen.state:
        return Criterion("state", "it is not shown", "either")
    if objects:
        return Criterion("state", f"objects that are not data: {', '.join(objects)}", "rust", 2)
    if any(not f.grows_in_front or f.shape[0] > BOUNDED for f in varying):
        names = ", ".join(f.name for f in varying)
        return Criterion("state", f"{names} of a size that varies widely", "rust", 2)
    if varying:
        names = ", ".join(f"{f.name} (up to {f.shape[0]})" for f in varying)
        return Criterion("state", f"short lists: {names}; an array and a count hold them", "either")
    names = ", ".join(f"{f.name} {f}" for f in list(seen.state.values())[:6])
    return Criterion("state", f"arrays of a fixed size: {names}", "jax", 2)


def _branching(code: Shape, known: bool) -> Criterion:
    if not known:
        return Criterion("branching", "the code is not seen", "either")
    text = f"{code.decisions} conditions in what a step calls"
    if code.recursive:
        return Criterion("branching", f"{text}, and {code.recursive[0]} calls itself", "rust", 2)
    return Criterion("branching", f"{text}, all of which can be computed and chosen from", "jax")


def _loops(code: Shape, known: bool) -> Criterion:
    if not known:
        return Criterion("loops", "the code is not seen", "either")
    found = [f"while in {name}" for name in code.whiles]
    found += [f"{name} makes a list longer or shorter" for name in code.growing]
    if found:
        return Criterion("loops", f"as long as the data says: {', '.join(found[:4])}", "rust")
    return Criterion("loops", "none whose length depends on data", "jax")


def _chance(subject: Subject, seen: Play) -> Criterion:
    if not subject.simulator.records_draws:
        return Criterion("chance", "its draws are not shown", "either")
    if not seen.stochastic:
        return Criterion("chance", "steps are not random", "either")
    kinds = channels(seen.step_draws)
    if all(c.fixed for c in kinds):
        return Criterion("chance", "each step draws alike", "either")
    return Criterion("chance", "a step draws as often as it needs", "rust")


def _parallelism(subject: Subject, seen: Play) -> Criterion:
    fields = [*seen.state.values(), *(f for n, f in seen.outside.items() if n.startswith("obs"))]
    size = sum(int(np.prod(f.shape, dtype=int)) * f.dtype.itemsize for f in fields)
    if size > LARGE:
        return Criterion("parallelism", f"{size / 1e6:.1f} MB a lane: few lanes fit", "rust")
    text = f"{size} bytes a lane, so that thousands advance together"
    return Criterion("parallelism", text, "jax" if seen.state else "either")


def _hardware(kind: str) -> Criterion:
    if kind == "cpu":
        seen = "a CPU, on which our own environments are several times as fast in Rust as in JAX"
        return Criterion("hardware", seen, "rust", 2)
    seen = f"a {kind.upper()}: environment and training stay on it, in one program"
    return Criterion("hardware", seen, "jax", 2)


def _implementation(subject: Subject) -> Criterion:
    if subject.name.startswith("command:"):
        text = "another program; what is inside is not seen"
        return Criterion("implementation", text, "either")
    if subject.env is None:
        return Criterion("implementation", "JAX already", "jax")
    native = foreign_objects(subject)
    if native:
        return Criterion("implementation", f"native code below Python: {', '.join(native)}", "rust")
    return Criterion("implementation", "plain Python", "either")


def _cost(subject: Subject) -> Criterion:
    """Report the current cost of a step. It shows the possible gain, not the target."""
    micros = step_cost(subject) * 1e6
    return Criterion("cost of a step", f"{micros:,.0f} µs, {1e6 / micros:,.0f} a second", "either")


def foreign_objects(subject: Subject) -> list[str]:
    """Return types of attributes that hold neither data nor framework objects."""
    found: dict[str, None] = {}
    for name, value in vars(subject.env).items() if subject.env is not None else ():
        kind = type(value)
        top = kind.__module__.partition(".")[0]
        if name in CHANCE or is_plain(value) or callable(value) or top in PLAIN_OBJECTS:
            continue
        found[f"{kind.__name__} ({top})"] = None
    return list(found)


def step_cost(subject: Subject) -> float:
    """Measure the seconds of a step with random actions, without overhead."""
    env, simulator = subject.env, subject.simulator
    rng = np.random.default_rng(0)
    actions = [draw_action(rng, simulator.action_space) for _ in range(256)]
    spent, steps, seed = 0.0, 0, 0
    deadline = time.monotonic() + TIMED
    simulator.reset(seed)
    while time.monotonic() < deadline:
        began = time.perf_counter()
        if env is not None:
            _, _, terminated, truncated, _ = env.step(actions[steps % 256])
            over = bool(terminated or truncated)
        else:
            over = is_over(simulator.step(actions[steps % 256]))
        spent, steps = spent + time.perf_counter() - began, steps + 1
        if over or steps % 200 == 0:
            seed += 1
            simulator.reset(seed)
    return spent / steps
