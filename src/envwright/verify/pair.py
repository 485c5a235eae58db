"""Match a reference and its twin: decide what can be compared, and run playthroughs on both."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from envwright.core.bridge import Bridge, Columns, SameNames
from envwright.errors import EnvwrightError, IncompatiblePair
from envwright.schema.tolerance import Tolerances
from envwright.schema.translation import STRAY
from envwright.sim.records import Fields, is_over, state_of, without_state
from envwright.sim.resolve import as_simulator
from envwright.sim.simulator import Simulator, TwinRaised, twin_at_work
from envwright.sim.sizes import require_small
from envwright.verify.bridge import choose_bridge, translated
from envwright.verify.character import (
    draw_alike,
    is_stochastic,
    leaves_its_space,
    load_is_complete,
    raised,
    require_reproducible,
    require_same_actions,
    trace,
)
from envwright.verify.compare import Mismatch, mismatches
from envwright.verify.tolerance import coarser

JUMP = 10  # tolerances; differences below are errors of the twin, above maybe flips


@dataclass(frozen=True)
class PairSpec:
    """Everything that names a comparison; opens to the same pair in any process.

    `reference` and `twin` are simulator names, or callables that make simulators.
    """

    reference: str | Callable[[], Any]
    twin: str | Callable[[], Any]
    bridge: str | Bridge | None = None
    tolerances: Tolerances = Tolerances()
    include_terminal: bool = False  # sample states in which the episode is over already
    free_running: bool | None = None  # None: judged if everything is exact, else only reported
    label: str = ""
    stray: float = STRAY  # how far beyond visited states fuzzed ones go, in widths of their range
    everyday: bool = False  # the setting that training uses
    largest: int | None = None  # elements of an observation or action; None: as many as there are

    def open(self) -> Pair:
        """Open both simulators, match them and check that they can be compared."""
        return Pair(self)


@dataclass(frozen=True)
class Playthrough:
    """A start (a state, or else a seed) and the actions that follow."""

    actions: list[Any]
    seed: int = 0
    start: Fields | None = None
    resync: bool = False  # teacher-forced: the twin is set to the reference's state each step


@dataclass(frozen=True)
class Found:
    """Where a playthrough showed a difference."""

    step: int  # -1: the start itself
    mismatch: Mismatch
    before: Fields | None = None  # the last state that agreed
    reference: Fields = field(default_factory=dict)
    twin: Fields = field(default_factory=dict)
    raised: str = ""


@dataclass(frozen=True)
class Moment:
    """The records of both sides after a step; step -1 is the start."""

    step: int
    action: Any
    before: Fields | None  # the reference's state, where it can be set again
    reference: Fields
    twin: Fields
    differ: list[Mismatch]
    raised: str = ""  # the twin's exception
    excused: bool = False  # a flip within the tolerance explains the difference

    @property
    def found(self) -> Found | None:
        """The difference, unless it is excused."""
        if self.excused or not self.differ:
            return None
        return Found(self.step, self.differ[0], self.before, self.reference, self.twin, self.raised)


class Pair:
    """Two open simulators with the bridge between their states."""

    excused = 0  # differences that a flip within the tolerance explained
    shrinks = True  # whether divergences are shrunk; a mutant's need not be
    _holds_exactly: bool | None = None  # found at the first state, and for every twin anew
    _twin_state: Fields = {}  # noqa: RUF012  a state of the twin

    def __init__(self, spec: PairSpec) -> None:
        self.spec = spec
        self.notes: list[str] = []
        self.tolerances = spec.tolerances
        with ExitStack() as opened:  # closes both if they do not match
            self.reference: Simulator = opened.enter_context(as_simulator(spec.reference))
            self.twin: Simulator = opened.enter_context(as_simulator(spec.twin))
            if spec.largest is not None:
                require_small(self.reference, spec.largest)
                require_small(self.twin, spec.largest)
            self._seat_players()
            self._match()
            opened.pop_all()

    def _seat_players(self) -> None:
        """Compare a PettingZoo game by the views of all its players, on both sides."""
        reference, twin = self.reference, self.twin
        if not (reference.sits or twin.sits):
            return
        if reference.players != twin.players:
            raise IncompatiblePair(
                f"{reference.name} has {reference.players} players, {twin.name} {twin.players}"
            )
        masks = reference.masks if reference.sits else twin.masks
        self.reference, self.twin = (sim.seated(masks) for sim in (reference, twin))

    def _match(self) -> None:
        require_same_actions(self.reference, self.twin)
        records = require_reproducible(self.reference)
        outside = leaves_its_space(self.reference, records)
        if outside:
            self.notes.append(f"the reference leaves its observation space: {outside}")
        self._require_known_fields()
        bridge = self._fitting_bridge()
        self.bridge = bridge if self._can_transplant(bridge) else None
        self._follow_tape(bridge)
        self.stochastic = is_stochastic(self.reference)
        self._compare_spaces()
        self.starts_by = self._how_starts_match()
        self.same_dice = self.stochastic and draw_alike(self.reference, self.twin)

    def _require_known_fields(self) -> None:
        """Reject tolerances for fields that neither side has."""
        records = trace(self.reference, 0, 1)
        names = sorted({name for record in records for name in record})
        for pattern in self.tolerances.fields:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise EnvwrightError(
                    f"a tolerance names {pattern!r}, but the fields are {', '.join(names)}; "
                    "it holds for all elements of a field"
                )

    # --- what can be compared -----------------------------------------------------------

    @property
    def transplants(self) -> bool:
        """Whether states of the reference can be set in the twin."""
        return self.bridge is not None

    @property
    def comparable(self) -> bool:
        """Whether episodes can be matched at all."""
        if self.starts_by == "nothing":
            return False
        return not self.stochastic or self.follows_steps or self.same_dice

    @property
    def why_not(self) -> str:
        """The missing condition for a comparison of episodes."""
        if self.starts_by == "nothing":
            return (
                "starts cannot be matched: the twin takes neither the reference's states nor its "
                "random draws, and the same seed gives other starts; give --bridge"
            )
        return (
            f"{self.reference.name} draws random numbers in its steps and the twin cannot "
            "follow them; split draw from transition in the twin and give --bridge with "
            "start_noise and step_noise"
        )

    def with_twin(self, twin: Simulator, bridge: Bridge | None = None) -> Pair:
        """Return the same comparison with another twin of the same shape, such as a mutant.

        Nothing is matched again and nothing is shrunk: only whether it differs matters.
        """
        other = copy.copy(self)
        other.twin, other.shrinks = twin, False
        other.bridge = bridge or self.bridge
        other._follow_tape(other.bridge)
        other._holds_exactly, other._twin_state = None, {}
        return other

    def close(self) -> None:
        """Close both simulators."""
        self.reference.close()
        self.twin.close()

    # --- driving both ----------------------------------------------------------------------

    def representable(self, state: Fields) -> Fields:
        """Round the reference's state to what the twin can hold, so that both start equal."""
        if self._holds_exactly is None:
            self._holds_exactly = self._twin_holds_exactly()
        if self.bridge is None or self._holds_exactly:
            return state
        offered = self.bridge.to_twin(state)
        if not self._twin_state or self._twin_state.keys() - offered.keys():
            self._twin_state = self.twin.state()
        held = self._twin_state  # only its dtypes count where the bridge sets every field
        cast = {k: np.asarray(v).astype(held[k].dtype) for k, v in offered.items() if k in held}
        back = self.bridge.to_reference({**held, **cast})
        return state | {
            k: np.asarray(back[k]).astype(v.dtype).reshape(v.shape)
            for k, v in state.items()
            if k in back and v.dtype.kind == "f"
        }

    def sync(self, state: Fields, keep_rest: bool = False) -> None:
        """Set the twin to a state of the reference.

        Fields of the twin that the reference does not know start afresh, or are kept.
        """
        assert self.bridge is not None
        offered = self.bridge.to_twin(state)
        with twin_at_work():
            self.twin.load(self.twin.state() | offered if keep_rest else offered)

    def start(self, seed: int) -> tuple[Fields, Fields]:
        """Reset both to matching starts; return the records of both, with observations only."""
        expected = self.reference.reset(seed)
        draws = self.reference.draws()
        by_draws = self.starts_by == "draws"
        with twin_at_work():
            record = self.twin.reset_with(draws) if by_draws else self.twin.reset(seed)
        got = self._in_reference_words(record)
        if by_draws:
            return expected, got
        if self.starts_by != "state":
            return without_state(expected), without_state(got)
        state = self.representable(state_of(expected))
        self.reference.load(state)
        self.sync(state)
        if self.twin.observes:
            with twin_at_work():
                return without_state(expected), self.twin.observe()
        # It shows the observation of its own start only, which may be another one.
        alike = _same_state(expected, got)
        return (without_state(expected), without_state(got)) if alike else ({}, {})

    def step_reference(self, action: Any) -> Fields:
        """Step the reference. Raises `EnvwrightError` if it raises."""
        try:
            return self.reference.step(action)
        except EnvwrightError:
            raise
        except Exception as error:
            raise raised(self.reference, error) from error

    def step_twin(self, action: Any) -> Fields:
        """Step the twin; return its record in the reference's format. Raises TwinRaised."""
        draws = self.reference.draws()
        with twin_at_work():
            if self.stochastic and self.follows_steps:
                record = self.twin.step_with(action, draws)
            else:
                record = self.twin.step(action)
        return self._in_reference_words(record)

    def run(self, playthrough: Playthrough) -> Found | None:
        """Run a playthrough on both; return the first difference, or None."""
        return next((m.found for m in self.play(playthrough) if m.found is not None), None)

    def play(self, playthrough: Playthrough) -> Iterator[Moment]:
        """Step both sides: the start, then each action, past the first difference too.

        Ends with the reference's episode, or where the twin stops answering.
        """
        moment = self._begin(playthrough)
        yield moment
        parted = moment.found is not None
        for step, action in enumerate(playthrough.actions):
            if moment.raised:
                return
            before = self.reference.state() if self.reference.loads else None
            moment = self.compare_step(step, before, action, playthrough.resync, parted)
            yield moment
            parted = parted or moment.found is not None
            if is_over(moment.reference) or (parted and moment.twin and is_over(moment.twin)):
                return

    def _begin(self, playthrough: Playthrough) -> Moment:
        """Set both to a playthrough's start."""
        expected: Fields = {}
        got: Fields = {}
        try:
            if playthrough.start is not None:
                self.reference.load(playthrough.start)
                self.sync(playthrough.start)
            else:
                expected, got = self.start(playthrough.seed)
        except TwinRaised as error:
            return Moment(-1, None, None, {}, {}, [_no_answer("reset")], str(error))
        return Moment(-1, None, None, expected, got, mismatches(expected, got, self.tolerances))

    def compare_step(
        self,
        step: int,
        before: Fields | None,
        action: Any,
        resync: bool = False,
        parted: bool = False,
    ) -> Moment:
        """Take one step on both sides.

        With `resync`, both then go on from the reference's state, unless they have `parted`.
        """
        expected = self.step_reference(action)
        try:
            got = self.step_twin(action)
            differ = mismatches(expected, got, self.tolerances)
            excused = (
                bool(differ) and not parted and self.explained_by_rounding(before, action, got)
            )
            agree = not parted and (excused or not differ)
            if resync and agree and self.transplants and not is_over(expected):
                state = self.representable(state_of(expected))
                self.reference.load(state)
                self.sync(state, keep_rest=True)
        except TwinRaised as error:
            no_answer = [_no_answer("step")]
            return Moment(step, action, before, expected, {}, no_answer, str(error))
        return Moment(step, action, before, expected, got, differ, excused=excused)

    def explained_by_rounding(self, before: Fields | None, action: Any, got: Fields) -> bool:
        """Return whether the reference gives the twin's answer from a state within the tolerance.

        Near a threshold a rounding error may flip a branch. It is not a difference in rules if the
        reference itself flips within the tolerance that was granted: its answer *jumps* there. A
        difference of a few tolerances is not a jump and is never excused, and neither is any
        difference where exactness is required.
        """
        if self.tolerances.exact or before is None or self.bridge is None or self.stochastic:
            return False
        present = self.reference.state()
        try:
            self.reference.load(before)
            here = self.reference.step(action)
            for near in _neighbours(before, got, self.tolerances):
                self.reference.load(near)
                there = self.reference.step(action)
                if mismatches(there, got, self.tolerances) or not self._jumps(here, there, got):
                    continue
                self.excused += 1
                return True
            return False
        finally:
            self.reference.load(present)

    def _jumps(self, here: Fields, there: Fields, got: Fields) -> bool:
        """Return whether two answers of the reference differ in kind, or by many tolerances."""
        for name, value in here.items():
            other = there[name]
            if value.dtype.kind != "f":
                if not np.array_equal(value, other):
                    return True
                continue
            unit = coarser(value.dtype, got.get(name, value).dtype)
            reach = self.tolerances.of(name).reach(value, unit)
            if np.any(np.abs(value - other) > JUMP * np.maximum(reach, np.finfo(np.float64).tiny)):
                return True
        return False

    def _in_reference_words(self, record: Fields) -> Fields:
        return without_state(record) if self.bridge is None else translated(self.bridge, record)

    # --- matching ------------------------------------------------------------------------------

    def _can_transplant(self, bridge: Bridge | None) -> bool:
        """Return whether states can be set on both sides, with a note on how, or what is lost."""
        blind = [s.name for s in (self.reference, self.twin) if not s.loads]
        if blind:
            reason = f"{' and '.join(blind)} cannot load states"
        elif bridge is None:
            reason = "no bridge fits the states (--bridge helps)"
        elif not load_is_complete(self.reference):
            reason = f"{self.reference.name} cannot be put back into a state by its attributes"
        elif not _answers(self.twin) or load_is_complete(self.twin):
            named = isinstance(self.spec.bridge, str)
            self.notes.append(f"states matched by {self.spec.bridge}" if named else str(bridge))
            self._tell_unknown_fields(bridge)
            return True
        else:
            reason = f"{self.twin.name} cannot be put back into a state by its attributes"
        self.notes.append(f"{reason}: no teacher-forced steps and no fuzzed states")
        return False

    def _twin_holds_exactly(self) -> bool:
        """Return whether the twin holds all numbers of the reference's states without rounding."""
        # Of these two it is known that they only rename; another bridge may say so of itself.
        known = getattr(type(self.bridge), "to_twin", None) in (SameNames.to_twin, Columns.to_twin)
        if not (known or getattr(self.bridge, "only_renames", False)):
            return False
        assert self.bridge is not None
        held, offered = self.twin.state(), self.bridge.to_twin(self.reference.state())
        return all(
            held[k].dtype == v.dtype
            for k, v in offered.items()
            if k in held and np.asarray(v).dtype.kind == "f"
        )

    def _fitting_bridge(self) -> Bridge | None:
        """Return the bridge between the states, after trying it in both directions."""
        try:
            bridge = choose_bridge(self.reference, self.twin, self.spec.bridge)
            if bridge is not None and self.reference.loads and self.twin.loads:
                self.reference.reset(0)
                self.twin.reset(0)
                bridge.to_reference(self.twin.state())
                _require_fit(bridge.to_twin(self.reference.state()), self.twin)
        except EnvwrightError:
            raise
        except Exception as error:
            raise EnvwrightError(
                f"the states of {self.reference.name} and {self.twin.name} cannot be bridged: "
                f"{type(error).__name__}: {error}"
            ) from error
        return bridge

    def _tell_unknown_fields(self, bridge: Bridge) -> None:
        known = bridge.to_twin(self.reference.state())
        rest = [k for k in self.twin.state() if k not in known]
        if rest:
            self.notes.append(
                f"the twin also holds {', '.join(rest)}, which no state of the reference sets: "
                "where a state is set, they have their start values"
            )

    def _follow_tape(self, bridge: Any) -> None:
        follow = getattr(self.twin, "follow", None)
        if follow is not None and hasattr(bridge, "start_noise"):
            follow(bridge.start_noise, getattr(bridge, "step_noise", None))
        told_how = follow is None or hasattr(bridge, "step_noise")
        self.follows_steps = self.twin.follows_draws and told_how

    def _how_starts_match(self) -> str:
        by_draws = self.reference.records_draws and self.twin.follows_draws
        if by_draws and (self.twin.begins_by_draws or not self.transplants):
            return "draws"
        if self.transplants:
            return "state"
        for seed in range(3):
            expected = without_state(self.reference.reset(seed))
            try:
                got = without_state(self.twin.reset(seed))
            except Exception:
                return "seed"  # the levels will report what it raised
            if mismatches(expected, got, self.tolerances):
                return "nothing"
        return "seed"

    def _compare_spaces(self) -> None:
        ours, theirs = self.reference.observation_space, self.twin.observation_space
        for sim in (self.reference, self.twin):
            if sim.outside:
                self.notes.append(f"{sim.name}: wrappers kept outside: {', '.join(sim.outside)}")
            if sim.dropped:
                texts = ", ".join(sim.dropped)
                self.notes.append(f"{sim.name}: texts that never change are left out: {texts}")
        if ours != theirs:
            self.notes.append(f"observation spaces differ: reference {ours}, twin {theirs}")


def _answers(sim: Simulator, seed: int = 0, steps: int = 40) -> bool:
    """Return whether a simulator plays at all; the levels report one that raises."""
    try:
        trace(sim, seed, steps)
    except EnvwrightError:
        return False
    return True


def _require_fit(offered: Fields, twin: Simulator) -> None:
    """Reject a bridge that sets fields which the twin lacks, or has in other shapes."""
    held = twin.state()
    for name, value in offered.items():
        if name not in held:
            there = ", ".join(held)
            raise EnvwrightError(f"the bridge sets {name!r}, but {twin.name} has {there}")
        if np.shape(value) != held[name].shape and held[name].ndim == 0:
            raise EnvwrightError(
                f"the bridge gives {name!r} the shape {np.shape(value)}, but {twin.name} has a "
                "single number there"
            )


def _same_state(a: Fields, b: Fields) -> bool:
    ours, theirs = state_of(a), state_of(b)
    return all(k in theirs and np.array_equal(v, theirs[k]) for k, v in ours.items())


def _no_answer(asked: str) -> Mismatch:
    return Mismatch(asked, "an answer", "an exception", "")


def _neighbours(state: Fields, got: Fields, tolerances: Tolerances) -> Sequence[Fields]:
    """Yield states that differ in one float by the tolerance of its field."""
    near = []
    for name, value in state.items():
        if value.dtype.kind != "f":
            continue
        tol = tolerances.of(f"state.{name}")
        held = got.get(f"state.{name}", value)
        reach = tol.reach(value, coarser(value.dtype, held.dtype))
        for at in np.ndindex(value.shape):
            for shift in (-reach[at], reach[at]) if reach[at] > 0 else ():
                moved = value.copy()
                moved[at] += shift
                near.append({**state, name: moved})
    return near
