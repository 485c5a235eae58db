"""A reference and its twin, matched: what can be compared, and one program run on both."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from envwright.errors import EnvwrightError, IncompatiblePair, NotReproducible
from envwright.verify.bridge import Bridge, choose_bridge, translated
from envwright.verify.compare import Mismatch, mismatches
from envwright.verify.policies import draw_action
from envwright.verify.records import Fields, is_over, state_of, without_state
from envwright.verify.simulator import Simulator, TwinRaised
from envwright.verify.simulators import as_simulator
from envwright.verify.tolerance import EXACT, Tolerances


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
    free_running: bool | None = None  # None: judged where everything is exact, else only told
    label: str = ""

    def open(self) -> Pair:
        """Open both simulators, match them and check that they can be compared."""
        return Pair(self)


@dataclass(frozen=True)
class Program:
    """A start (a state, or else a seed) and the actions that follow."""

    actions: list[Any]
    seed: int = 0
    start: Fields | None = None
    resync: bool = False  # teacher-forced: the twin is set to the reference's state each step


@dataclass(frozen=True)
class Found:
    """Where a program showed a difference."""

    step: int  # -1: the start itself
    mismatch: Mismatch
    before: Fields | None  # the last state that agreed
    reference: Fields
    twin: Fields
    raised: str = ""


class Pair:
    """Two open simulators with the bridge between their states."""

    shrinks = True  # whether a divergence is made small; a mutant's need not be

    def __init__(self, spec: PairSpec) -> None:
        self.spec = spec
        self.notes: list[str] = []
        self.reference: Simulator = as_simulator(spec.reference)
        self.twin: Simulator = as_simulator(spec.twin)
        self.tolerances = spec.tolerances
        _require_same_actions(self.reference, self.twin)
        require_reproducible(self.reference)
        self.bridge = self._match_states()
        self._follow_tape()
        self.stochastic = _is_stochastic(self.reference)
        self._compare_spaces()
        self.starts_by = self._how_starts_match()

    # --- what both sides offer ----------------------------------------------------------

    @property
    def transplants(self) -> bool:
        """Whether a state of the reference can be set in the twin."""
        return self.bridge is not None

    @property
    def comparable(self) -> bool:
        """Whether episodes can be matched at all."""
        if self.starts_by == "nothing":
            return False
        return not self.stochastic or self.twin.follows_draws

    @property
    def why_not(self) -> str:
        """What is missing for a comparison of episodes."""
        if self.starts_by == "nothing":
            return (
                "starts cannot be matched: the twin takes neither the reference's states nor its "
                "random draws, and the same seed gives other starts; give --bridge"
            )
        return (
            f"{self.reference.name} draws random numbers in its steps and the twin cannot "
            "follow them; split draw from transition in the twin"
        )

    def with_twin(self, twin: Simulator, bridge: Bridge | None = None) -> Pair:
        """The same comparison with another twin of the same shape, such as a mutant.

        Nothing is matched again and nothing is shrunk: the question is only whether it differs.
        """
        other = copy.copy(self)
        other.twin, other.shrinks = twin, False
        other.bridge = bridge or self.bridge
        other._follow_tape()
        return other

    def close(self) -> None:
        """Close both simulators."""
        self.reference.close()
        self.twin.close()

    # --- driving both ----------------------------------------------------------------------

    def representable(self, state: Fields) -> Fields:
        """The reference's state, rounded to what the twin can hold, so that both start equal."""
        if self.bridge is None:
            return state
        held = self.twin.state()
        offered = self.bridge.to_twin(state)
        cast = {k: np.asarray(v).astype(held[k].dtype) for k, v in offered.items() if k in held}
        back = self.bridge.to_reference({**held, **cast})
        return state | {
            k: np.asarray(back[k]).astype(v.dtype).reshape(v.shape)
            for k, v in state.items()
            if k in back and v.dtype.kind == "f"
        }

    def sync(self, state: Fields) -> None:
        """Set the twin to a state of the reference."""
        assert self.bridge is not None
        self.twin.load(self.bridge.to_twin(state))

    def start(self, seed: int) -> tuple[Fields, Fields]:
        """Reset both to matching starts; the records of both, observations only."""
        expected = self.reference.reset(seed)
        draws = self.reference.draws()
        if self.starts_by == "draws":
            return expected, self._in_reference_words(self.twin.reset_with(draws))
        got = self.twin.reset(seed)
        if self.starts_by == "state":
            state = self.representable(state_of(expected))
            self.reference.load(state)
            self.sync(state)
            return (expected, self.twin.observe()) if self.twin.observes else ({}, {})
        return without_state(expected), without_state(self._in_reference_words(got))

    def step_twin(self, action: Any) -> Fields:
        """The twin's answer in the reference's words; its exceptions become TwinRaised."""
        draws = self.reference.draws()
        try:
            if self.stochastic and self.twin.follows_draws:
                record = self.twin.step_with(action, draws)
            else:
                record = self.twin.step(action)
        except Exception as error:
            raise TwinRaised(f"{type(error).__name__}: {error}") from error
        return self._in_reference_words(record)

    def run(self, program: Program) -> Found | None:
        """Run a program on both; the first difference, or None."""
        if program.start is not None:
            self.reference.load(program.start)
            self.sync(program.start)
        else:
            expected, got = self.start(program.seed)
            differ = mismatches(expected, got, self.tolerances)
            if differ:
                return Found(-1, differ[0], None, expected, got)
        for step, action in enumerate(program.actions):
            before = self.reference.state() if self.reference.loads else None
            found, record = self.compare_step(step, before, action)
            if found is not None:
                return found
            if is_over(record):
                return None
            if program.resync and self.transplants:
                state = self.representable(state_of(record))
                self.reference.load(state)
                self.sync(state)
        return None

    def compare_step(
        self, step: int, before: Fields | None, action: Any
    ) -> tuple[Found | None, Fields]:
        """One step on both; the difference if there is one, and the reference's record."""
        expected = self.reference.step(action)
        try:
            got = self.step_twin(action)
        except TwinRaised as error:
            answer = Mismatch("step", "an answer", "an exception", "")
            return Found(step, answer, before, expected, {}, raised=str(error)), expected
        differ = mismatches(expected, got, self.tolerances)
        if differ and not self.explained_by_rounding(before, action, got):
            return Found(step, differ[0], before, expected, got), expected
        return None, expected

    def explained_by_rounding(self, before: Fields | None, action: Any, got: Fields) -> bool:
        """Whether the reference gives the twin's answer from a state within the tolerance.

        Near a threshold a rounding error may flip a branch. That is no difference in rules
        if the reference itself flips within the tolerance that was granted. Never applies
        where exactness was asked for.
        """
        if self.tolerances.exact or before is None or self.bridge is None or self.stochastic:
            return False
        present = self.reference.state()
        try:
            for near in _neighbours(before, self.tolerances):
                self.reference.load(near)
                if not mismatches(self.reference.step(action), got, self.tolerances):
                    return True
            return False
        finally:
            self.reference.load(present)

    def _in_reference_words(self, record: Fields) -> Fields:
        return without_state(record) if self.bridge is None else translated(self.bridge, record)

    # --- matching ------------------------------------------------------------------------------

    def _match_states(self) -> Bridge | None:
        bridge = choose_bridge(self.reference, self.twin, self.spec.bridge)
        if bridge is None:
            blind = [s.name for s in (self.reference, self.twin) if not s.loads]
            reason = f"{' and '.join(blind)} cannot load states" if blind else "no bridge fits"
            self.notes.append(
                f"{reason}: no teacher-forced steps and no fuzzed states (--bridge helps)"
            )
            return None
        if not _load_is_complete(self.reference):
            self.notes.append(
                f"{self.reference.name} cannot be put back into a state by its attributes: "
                "no teacher-forced steps and no fuzzed states"
            )
            return None
        if not isinstance(self.spec.bridge, str):
            self.notes.append(str(bridge))
        return bridge

    def _follow_tape(self) -> None:
        follow = getattr(self.twin, "follow", None)
        if follow is not None and hasattr(self.bridge, "start_noise"):
            follow(self.bridge.start_noise, getattr(self.bridge, "step_noise", None))  # type: ignore[union-attr]

    def _how_starts_match(self) -> str:
        if self.reference.records_draws and self.twin.follows_draws:
            return "draws"
        if self.transplants:
            return "state"
        for seed in range(3):
            expected = without_state(self.reference.reset(seed))
            got = without_state(self.twin.reset(seed))
            if mismatches(expected, got, self.tolerances):
                return "nothing"
        return "seed"

    def _compare_spaces(self) -> None:
        ours, theirs = self.reference.observation_space, self.twin.observation_space
        if ours != theirs:
            self.notes.append(f"observation spaces differ: reference {ours}, twin {theirs}")


def _require_same_actions(reference: Simulator, twin: Simulator) -> None:
    a, b = reference.action_space, twin.action_space
    same = type(a) is type(b) and a.shape == b.shape
    if same and isinstance(a, gymnasium.spaces.Discrete):
        same = (a.n, a.start) == (b.n, b.start)  # type: ignore[attr-defined]
    elif same and isinstance(a, gymnasium.spaces.Box):
        same = np.allclose(a.low, b.low) and np.allclose(a.high, b.high)  # type: ignore[attr-defined]
    elif same:
        same = a == b
    if not same:
        raise IncompatiblePair(
            f"actions differ: {reference.name} takes {a}, {twin.name} takes {b}; "
            "wrap one of them so that both take the same"
        )


def require_reproducible(reference: Simulator, seed: int = 0, steps: int = 64) -> None:
    """Run the reference twice; raise NotReproducible where it answers differently."""
    first, second = (_trace(reference, seed, steps) for _ in range(2))
    for step, (a, b) in enumerate(zip(first, second, strict=False)):
        differ = mismatches(a, b, Tolerances(EXACT))
        if differ:
            raise NotReproducible(
                f"{reference.name} does not reproduce itself: with seed {seed}, step {step}, "
                f"{differ[0].field} was {differ[0].reference} and then {differ[0].twin}; "
                "seed all of its randomness in reset(seed)"
            )


def _trace(sim: Simulator, seed: int, steps: int) -> list[Fields]:
    rng = np.random.default_rng(seed)
    records = [sim.reset(seed)]
    for step in range(steps):
        try:
            records.append(sim.step(draw_action(rng, sim.action_space)))
        except Exception as error:
            raise EnvwrightError(
                f"{sim.name} raised {type(error).__name__} at step {step}: {error}"
            ) from error
        if is_over(records[-1]):
            records.append(sim.reset(seed + 1 + step))
    return records


def _load_is_complete(sim: Simulator, seed: int = 1, steps: int = 40) -> bool:
    """Whether a state that is read and loaded again continues as the original did."""
    rng = np.random.default_rng(seed)
    sim.reset(seed)
    played = []
    for _ in range(steps):
        state, action = sim.state(), draw_action(rng, sim.action_space)
        record = sim.step(action)
        played.append((state, action, record, len(sim.draws())))
        if is_over(record):
            break
    for state, action, record, drawn in played:
        sim.load(state)
        again = sim.step(action)
        if not drawn and mismatches(record, again, Tolerances(EXACT)):
            return False
    return True


def _is_stochastic(sim: Simulator, seed: int = 2, steps: int = 40, repeats: int = 6) -> bool:
    """Whether one state and action lead to several outcomes.

    Without state access, whether the reference draws anything while it steps.
    """
    rng = np.random.default_rng(seed)
    sim.reset(seed)
    for step in range(steps):
        state = sim.state() if sim.loads else None
        action = draw_action(rng, sim.action_space)
        record = sim.step(action)
        drew = bool(sim.draws())
        if state is None and drew:
            return True
        for _ in range(repeats if drew and state is not None else 0):
            sim.load(state)  # type: ignore[arg-type]
            if mismatches(record, sim.step(action), Tolerances(EXACT)):
                return True
        if is_over(record):
            sim.reset(seed + 1 + step)
    return False


def _neighbours(state: Fields, tolerances: Tolerances) -> Sequence[Fields]:
    """States that differ in one float by the tolerance of its field."""
    near = []
    for name, value in state.items():
        atol = tolerances.of(f"state.{name}").atol or tolerances.default.atol
        if value.dtype.kind != "f" or atol == 0:
            continue
        for at in np.ndindex(value.shape):
            for shift in (-atol, atol):
                moved = value.copy()
                moved[at] += shift
                near.append({**state, name: moved})
    return near
