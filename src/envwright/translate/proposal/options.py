"""Which constructor options change the game: each is tried with another value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envwright.errors import EnvwrightError
from envwright.schema.tolerance import EXACT, Tolerances
from envwright.sim.records import Fields
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator
from envwright.translate.proposal.subject import Subject
from envwright.verify.character import is_stochastic, trace
from envwright.verify.compare import mismatches

SEEDS, STEPS = 3, 120
MOST = 3  # options that are translated; each is one more comparison


@dataclass(frozen=True)
class Option:
    """An option. `other` is a value that changes the game but not its kind."""

    name: str
    value: Any
    other: Any = None
    fixed: str = ""  # why it keeps its value

    @property
    def matters(self) -> bool:
        """Whether the translation has the option too."""
        return not self.fixed


def try_options(subject: Subject, stochastic: bool) -> list[Option]:
    """Return all options of the reference, and which of them matter."""
    if subject.cls is None or not subject.options:
        return []
    usual = _played(subject.name)
    tried: list[Option] = []
    for name, value in subject.options.items():
        if sum(option.matters for option in tried) == MOST:
            tried.append(Option(name, value, fixed="others matter more"))
            continue
        other = _another(value)
        if other is None:
            tried.append(Option(name, value, fixed="no other value could be guessed"))
            continue
        fixed = _compare(subject, subject.with_option(name, other), usual, stochastic)
        tried.append(Option(name, value, other, fixed))
    return tried


def _another(value: Any) -> Any:
    """Return a nearby value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int) and value:
        return value + 1
    return round(value * 1.5, 6) if isinstance(value, float) and value else None


def _compare(subject: Subject, name: str, usual: list[Fields], stochastic: bool) -> str:
    """Return why the option is better fixed, or an empty string."""
    try:
        played = _played(name)
        with open_simulator(name) as other:
            if is_stochastic(other) != stochastic:
                return "it decides whether steps are random"
            if _drawn(other) != _drawn(subject.simulator):
                return "it changes what is drawn at random"
            spaces = [(s.observation_space, s.action_space) for s in (subject.simulator, other)]
            if spaces[0] != spaces[1]:
                return "it changes the spaces"
    except EnvwrightError:
        return "another value was refused"
    if any(_layout(a) != _layout(b) for a, b in zip(usual, played, strict=False)):
        return "it changes what the state looks like"
    exact = Tolerances(EXACT)
    if len(usual) == len(played) and not any(
        mismatches(a, b, exact) for a, b in zip(usual, played, strict=True)
    ):
        return f"another value changed nothing in {len(usual)} steps"
    return ""


def _played(name: str) -> list[Fields]:
    with open_simulator(name) as simulator:
        return [record for seed in range(SEEDS) for record in trace(simulator, seed, STEPS)]


def _drawn(simulator: Simulator) -> list[list[str]]:
    """Return the generator methods that some resets call."""
    found = []
    for seed in range(SEEDS):
        simulator.reset(seed)
        found.append([draw.method for draw in simulator.draws()])
    return found


def _layout(record: Fields) -> dict[str, str]:
    """Return names and kinds, so that records of a reset and of a step can be compared."""
    return {k: v.dtype.kind for k, v in record.items() if k.startswith("state.")}
