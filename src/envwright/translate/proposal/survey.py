"""The results of observing an environment."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.errors import EnvwrightError
from envwright.translate.proposal.calls import Function, watch_calls
from envwright.translate.proposal.closeness import Closeness
from envwright.translate.proposal.layout import Layout, lay_out
from envwright.translate.proposal.noise import Channel, channels
from envwright.translate.proposal.options import Option, try_options
from envwright.translate.proposal.played import Play, play
from envwright.translate.proposal.reads import attributes_of
from envwright.translate.proposal.rehearsal import Rehearsal, Wanted, rehearse
from envwright.translate.proposal.subject import Subject

MOST = 4  # helpers to record: each needs its own play


@dataclass(frozen=True)
class Survey:
    """Everything that a proposal needs."""

    subject: Subject
    play: Play
    functions: dict[str, Function]  # by target, in the order of their first call
    layout: Layout
    options: list[Option]
    rehearsal: Rehearsal
    closeness: Closeness
    tapes: bool = False  # the translation takes draws as they are made, not as arrays

    @property
    def step(self) -> str:
        """The target of the reference's step."""
        return f"{self.subject.source}.step"

    @property
    def chosen(self) -> list[Option]:
        """The options that the translation has too."""
        return [option for option in self.options if option.matters]

    @property
    def follows_draws(self) -> bool:
        """Whether a bridge passes draws on: steps are random, or states cannot be set."""
        drawn = (self.play.stochastic or not self.play.complete) and not self.tapes
        made = any(self.play.start_draws) or any(self.play.step_draws)
        return drawn and self.subject.simulator.records_draws and made

    @property
    def start_noise(self) -> list[Channel]:
        """Draws of a reset."""
        return channels(self.play.start_draws)

    @property
    def step_noise(self) -> list[Channel]:
        """Draws of a step as arrays, if they decide anything."""
        return channels(self.play.step_draws) if self.play.stochastic and not self.tapes else []

    @property
    def needs_bridge_file(self) -> bool:
        """Whether a toml table cannot describe how states and draws correspond."""
        return self.follows_draws or bool(self.layout.padded)

    def own_calls(self, step: bool = True) -> list[Function]:
        """Return the functions that a step (or only a reset) calls, without step and reset."""
        entries = {f"{self.subject.source}.{name}" for name in ("step", "reset")}
        return [f for f in self.functions.values() if f.in_step is step and f.target not in entries]

    def functions_of(self, targets: list[str]) -> list[Function]:
        """Return the targets that were called."""
        return [self.functions[t] for t in targets if t in self.functions]


def survey_of(subject: Subject) -> Survey:
    """Play an environment, watch it, and try out what might be proposed."""
    seen = play(subject.simulator)
    functions = watch_calls(subject) if subject.cls else {}
    layout = lay_out(subject, seen, functions.values())
    options = try_options(subject, seen.stochastic)
    rehearsal = _rehearsed(subject.name, _wanted(subject, seen, functions, layout))
    closeness = Closeness(seen, rehearsal)
    return Survey(subject, seen, functions, layout, options, rehearsal, closeness)


def _rehearsed(simulator: str, wanted: list[Wanted]) -> Rehearsal:
    try:
        return rehearse(simulator, wanted)
    except EnvwrightError:
        if not wanted:
            raise
        return rehearse(simulator, [])  # its attributes are not arrays and cannot be recorded


def _wanted(
    subject: Subject, seen: Play, functions: dict[str, Function], layout: Layout
) -> list[Wanted]:
    """Select candidates for golden pairs: pure helpers, and the step if it is deterministic."""
    pure = [f for f in functions.values() if f.pure and f.in_step]
    pure = sorted(pure, key=lambda f: (not f.is_method, -f.lines))[:MOST]
    wanted = []
    for function in pure:
        read = attributes_of(function, functions) if function.is_method else []
        wanted.append(Wanted(function.target, tuple(a for a in layout.attributes if a in read)))
    if subject.cls is not None and seen.complete and not seen.stochastic and layout.attributes:
        wanted.append(Wanted(f"{subject.source}.step", layout.attributes))
    return wanted
