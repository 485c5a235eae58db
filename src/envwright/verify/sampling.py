"""Sample states for one-step comparisons: visited, fuzzed, and next to a boundary.

A state is used only if it is *vouched for*: the reference itself arrived in it by a step that did
not end the episode. So fuzzing never continues after the end, unless the pair requests that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, is_over, state_of
from envwright.verify.pair import Pair
from envwright.verify.policies import find_policy

Signature = tuple
Met = set[bytes]  # states with the action that was taken there
LONGEST = 10_000  # steps after which an episode is left, if nothing is known to end it
STALE = 1_000  # or after so many, none of which was new
FINEST = 2.0**-40  # share of the way between two states that a tolerance resolves
HOPELESS = 10  # tries per wanted case if no outcome was ever of another kind


@dataclass(frozen=True)
class Case:
    """A state of the reference, an action, and the reference's answer."""

    state: Fields
    action: Any
    outcome: Fields
    origin: str  # visited | fuzzed | boundary


class Sampler:
    """Draws cases for one pair; the same seed gives the same cases."""

    def __init__(self, pair: Pair, seed: int, policies: Sequence[str]) -> None:
        self.pair, self.policies = pair, policies
        self.rng = np.random.default_rng((seed, 1))
        self.seed = seed
        self._met: Met = set()

    def visited(self, episodes: int) -> list[Case]:
        """Yield every step of some episodes, teacher-forced on states that the twin can hold."""
        return [c for e in range(episodes) for c in self._episode(e)]

    def fuzzed(self, visited: Sequence[Case], count: int) -> list[Case]:
        """Yield steps from states in and around the visited range, even out of a policy's reach."""
        spread = _Spread([c.state for c in visited], self.pair)
        cases: list[Case] = []
        for _ in range(20 * count):  # some are refused or end at once
            if len(cases) == count:
                break
            near = visited[int(self.rng.integers(len(visited)))].state
            state = self._vouched(spread.draw(self.rng, near), self._action())
            if state is not None:
                case = self._case(state, self._action(), "fuzzed")
                cases += [case] if case else []
        return cases

    def boundary(self, visited: Sequence[Case], count: int) -> list[Case]:
        """Yield pairs of steps from neighbouring states whose outcomes differ in kind.

        Two states are joined by a line; the place where the reference's verdict flips (ended or
        not, which reward) is found by bisection, down to neighbouring floats if exactness was asked
        for, else to a distance the tolerance cannot bridge. If the verdict never changed so far,
        the search is short.
        """
        spread = _Spread([c.state for c in visited], self.pair)
        if not spread.range:
            return []  # states of whole numbers are not joined by a line
        signature = _signature_of([c.outcome for c in visited])
        varies = self._verdict_varies([signature(c.outcome) for c in visited])
        cases: list[Case] = []
        for tried in range(40 * count):
            if len(cases) >= count or (tried == HOPELESS * count and not (cases or varies)):
                break
            near = visited[int(self.rng.integers(len(visited)))].state
            first, second = (spread.draw(self.rng, near) for _ in range(2))
            cases += self._flip(first, second, signature)
        return cases[:count]

    # --- parts ------------------------------------------------------------------------------

    def _action(self) -> Any:
        return draw_action(self.rng, self.pair.reference.action_space)

    def _verdict_varies(self, seen: Sequence[Signature]) -> bool:
        """Return whether anything but the time limit made outcomes differ in kind."""
        if self.pair.reference.time_limit is None:
            return len(set(seen)) > 1
        return len({(ended, *rest) for ended, _, *rest in seen}) > 1

    def _episode(self, index: int) -> list[Case]:
        policy = self.policies[index % len(self.policies)]
        return play(self.pair, self.seed + index, policy, self._met)

    def _case(self, state: Fields, action: Any, origin: str) -> Case | None:
        outcome = self._try(state, action)
        return None if outcome is None else Case(state, action, outcome, origin)

    def _try(self, state: Fields, action: Any) -> Fields | None:
        """Return the reference's answer, or None if it rejects the state."""
        try:
            self.pair.reference.load(state)
            outcome = self.pair.reference.step(action)
        except Exception:
            return None
        return outcome if all(_finite(v) for v in outcome.values()) else None

    def _vouched(self, state: Fields, action: Any) -> Fields | None:
        """Return the state one step after `state`, unless the episode ends there."""
        if self.pair.spec.include_terminal:
            return self.pair.representable(state)
        outcome = self._try(state, action)
        if outcome is None or is_over(outcome):
            return None
        return self.pair.representable(state_of(outcome))

    def _flip(self, a: Fields, b: Fields, signature: Callable[[Fields], Signature]) -> list[Case]:
        first, second = self._action(), self._action()

        def at(share: float) -> Case | None:
            state = self._vouched(_between(a, b, share), first)
            return None if state is None else self._case(state, second, "boundary")

        low, high = at(0.0), at(1.0)
        if low is None or high is None or signature(low.outcome) == signature(high.outcome):
            return []
        ends = (0.0, 1.0)
        while True:
            middle = (ends[0] + ends[1]) / 2
            close = not self.pair.tolerances.exact and ends[1] - ends[0] <= FINEST
            if middle in ends or close:
                break
            case = at(middle)
            if case is None:
                return []
            if signature(case.outcome) == signature(low.outcome):
                low, ends = case, (middle, ends[1])
            else:
                high, ends = case, (ends[0], middle)
        if self.pair.tolerances.exact:
            return [low, high]
        below = self._step_away(at, low, ends[0], -1.0, signature)
        above = self._step_away(at, high, ends[1], 1.0, signature)
        return [case for case in (below, above) if case is not None]

    def _step_away(
        self,
        at: Callable[[float], Case | None],
        flip: Case,
        share: float,
        direction: float,
        signature: Callable[[Fields], Signature],
    ) -> Case | None:
        """Return a case on the same side of the flip, farther from it than the tolerance."""
        distance = 1e-12
        while 0.0 <= share + direction * distance <= 1.0:
            case = at(share + direction * distance)
            if case is None or signature(case.outcome) != signature(flip.outcome):
                return None
            if _beyond_tolerance(case.outcome, flip.outcome, self.pair):
                return case
            distance *= 4
        return None


def play(pair: Pair, seed: int, policy_name: str, met: Met | None = None) -> list[Case]:
    """Play one episode of the reference, on states that the twin can hold.

    New steps are added to `met`. An episode without a known end stops when it only repeats them:
    the same step of a deterministic reference, compared again, adds nothing.
    """
    policy = find_policy(policy_name)
    reference = pair.reference
    rng, memory = np.random.default_rng((seed, 2)), {}
    record = reference.reset(seed)
    cases: list[Case] = []
    endless, news = reference.time_limit is None and not pair.stochastic, 0
    met = set() if met is None else met
    for t in range(reference.time_limit or LONGEST):
        shown = state_of(record)
        state = pair.representable(shown)
        if state is not shown and not all(np.array_equal(v, shown[k]) for k, v in state.items()):
            reference.load(state)
        action = policy(rng, reference.action_space, record.get("obs"), t, memory)
        record = pair.step_reference(action)
        cases.append(Case(state, action, record, f"{policy_name} policy, seed {seed}, step {t}"))
        if is_over(record):
            break
        if endless:
            news = t if _is_new(state, action, met) else news
            if t - news >= STALE:
                break
    return cases


def _is_new(state: Fields, action: Any, met: Met) -> bool:
    """Return whether this step is new, and remember it."""
    known = len(met)
    met.add(b"".join([np.asarray(action).tobytes(), *(v.tobytes() for v in state.values())]))
    return len(met) > known


class _Spread:
    """The observed range of a field's values, and how far around it to sample."""

    def __init__(self, states: Sequence[Fields], pair: Pair) -> None:
        self.stray = pair.spec.stray
        self.seen: dict[str, list[np.ndarray]] = {}
        for state in states:
            for name, value in state.items():
                self.seen.setdefault(name, []).append(value)
        self.range = {}
        for name, values in self.seen.items():
            if values[0].dtype.kind == "f" and len({v.shape for v in values}) == 1:
                low, high = np.min(values, axis=0), np.max(values, axis=0)
                with np.errstate(all="ignore"):
                    around = np.stack([low, 2 * self.stray * (high - low)])
                if np.isfinite(around).all():  # it cannot be fuzzed
                    self.range[name] = (low, high - low)
        self.time_limit = pair.reference.time_limit

    def draw(self, rng: np.random.Generator, near: Fields) -> Fields:
        """Draw a state with one, some or all fields drawn anew."""
        share = (0.3, 0.6, 1.0)[rng.integers(3)]
        wide = min(0.5, self.stray) if rng.random() < 0.8 else self.stray
        return {k: self._field(rng, k, v, share, wide) for k, v in near.items()}

    def _field(
        self, rng: np.random.Generator, name: str, value: np.ndarray, share: float, wide: float
    ) -> np.ndarray:
        if name == "time" and self.time_limit is not None:
            last = rng.random() < 0.3
            low = self.time_limit - 4 if last else 0
            return np.asarray(rng.integers(max(0, low), self.time_limit + 1))
        if name in self.range:
            low, width = self.range[name]
            anew = rng.uniform(low - wide * width, low + (1 + wide) * width)
            return np.where(rng.random(value.shape) < share, anew, value).astype(value.dtype)
        values = self.seen[name]
        return values[int(rng.integers(len(values)))] if rng.random() < share else value


def _between(a: Fields, b: Fields, share: float) -> Fields:
    """Return a point on the line from `a` to `b`; values that are not floats stay as in `a`."""
    return {
        k: (v + share * (b[k] - v)).astype(v.dtype) if v.dtype.kind == "f" else v
        for k, v in a.items()
    }


def _signature_of(outcomes: Sequence[Fields]) -> Callable[[Fields], Signature]:
    """Return the kind of an outcome: ended, truncated, and the reward if it takes few values."""
    few_rewards = len({_reward(o) for o in outcomes}) <= 8

    def signature(outcome: Fields) -> Signature:
        ends = bool(outcome["terminated"]), bool(outcome["truncated"])
        return (*ends, *_reward(outcome)) if few_rewards else ends

    return signature


def _reward(outcome: Fields) -> tuple[float, ...]:
    """Return the rewards of a step; several goals or players have one each."""
    return tuple(outcome["reward"].ravel().tolist())


def _beyond_tolerance(a: Fields, b: Fields, pair: Pair) -> bool:
    for name, value in a.items():
        if value.dtype.kind != "f":
            continue
        reach = pair.tolerances.of(name).reach(value, np.dtype(np.float32))
        if np.any(np.abs(value - b[name]) > 8 * reach):
            return True
    return False


def _finite(value: np.ndarray) -> bool:
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())
