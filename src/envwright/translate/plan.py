"""Algorithm 1 as a state machine: where a run stands, folded from its journal, and what is next.

Nothing here does anything. A run is resumed by folding its journal again.

    phase 1   translate each module, repair until level 1 is green
    phase 2   the whole: level 2, and level 1 stays green
    phase 3   level 3; a divergence first becomes a test of level 1
    phase 4   level 4, where a margin was fixed
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from envwright.agents.base import TaskKind, Usage
from envwright.translate.journal import Event
from envwright.translate.spec import TranslationSpec
from envwright.translate.verdict import Verdict
from envwright.translate.workspace import Snapshot, applied

UNCOMPARED = "the written examples agree, and there is no simulator to compare anything else with"
DEAD_TURNS = 3  # in a row before the agent is given up
Outcome = Literal["verified", "inconclusive", "human", "budget", "agent", "interrupted"]


@dataclass(frozen=True)
class Position:
    """Where a run stands."""

    phase: int = 1
    module: int = 0  # finished modules
    translated: int = 0  # modules that were asked for
    interactions: bool = False  # tests between modules were asked for
    attempts: int = 0  # repairs in this phase, or of this module
    judged: bool = False  # whether `verdicts` describe the current code
    verdicts: tuple[Verdict, ...] = ()  # results of the last judgement, level 1 first
    green: frozenset[int] = frozenset()  # levels that the whole code, as it is, has passed
    files: Snapshot = field(default_factory=dict)
    carried: frozenset[str] = frozenset()  # modules whose code an earlier run has verified
    regressions: tuple[str, ...] = ()  # names in the store
    new_regressions: int = 0  # of the last judgement
    meddled: tuple[str, ...] = ()  # guarded files that the last turn changed
    turns: int = 0
    pending: int | None = None  # a turn that was begun and has no end yet
    dead: int = 0  # turns in a row that crashed, or failed and changed nothing
    idle: int = 0  # repairs in a row that changed nothing of the code
    refused: str = ""  # why the agent cannot go on: "auth" or "budget"
    reason: str = ""  # the reason of the last failed turn
    usage: Usage = Usage()
    seconds: float = 0.0
    ended: str = ""

    @property
    def failing(self) -> Verdict | None:
        """The verdict to repair, or None."""
        return next((v for v in self.verdicts if not v.green), None)


@dataclass(frozen=True)
class Translate:
    """Ask for a module."""

    module: int


@dataclass(frozen=True)
class WriteInteractions:
    """Ask for tests between modules."""


@dataclass(frozen=True)
class Repair:
    """Ask for a repair of what failed."""

    verdict: Verdict


@dataclass(frozen=True)
class JudgeModules:
    """Judge level 1 of the first `count` modules."""

    count: int


@dataclass(frozen=True)
class JudgeLevels:
    """Judge the levels up to this one that the code has not passed unchanged."""

    levels: tuple[int, ...]


@dataclass(frozen=True)
class Finish:
    """End the run."""

    outcome: Outcome
    reason: str = ""


Move = Translate | WriteInteractions | Repair | JudgeModules | JudgeLevels | Finish


def next_move(at: Position, spec: TranslationSpec, levels: tuple[int, ...]) -> Move:
    """Return the next move."""
    if at.refused:
        return Finish("budget" if at.refused == "budget" else "agent", at.reason)
    if at.dead >= DEAD_TURNS:
        return Finish("agent", f"the agent failed {at.dead} times in a row: {at.reason}")
    if at.idle >= DEAD_TURNS:
        return Finish("human", f"the agent changed nothing {at.idle} times in a row")
    if at.phase == 1:
        if at.translated == at.module:
            return Translate(at.module)
        if not at.judged:
            return JudgeModules(at.module + 1)
        return _repair(at, spec, f"module {spec.modules[at.module].name}")
    if at.phase > max(levels):
        return (
            Finish("verified") if spec.reference.simulator else Finish("inconclusive", UNCOMPARED)
        )
    if at.phase == 2 and spec.interactions and not at.interactions:
        return WriteInteractions()
    if not at.judged:
        wanted = (n for n in levels if n <= at.phase and n not in at.green)
        return JudgeLevels(tuple(wanted))
    return _repair(at, spec, f"level {at.phase}")


def _repair(at: Position, spec: TranslationSpec, where: str) -> Move:
    assert at.failing is not None
    if not at.failing.failures:
        return Finish("inconclusive", at.failing.undecided)
    if at.attempts >= spec.budget.per_level:
        return Finish("human", f"{where} is not right after {at.attempts} attempts to repair it")
    return Repair(at.failing)


def fold(events: Iterable[Event], spec: TranslationSpec, levels: tuple[int, ...]) -> Position:
    """Return where a run stands after these events."""
    at = Position()
    for event in events:
        at = _after(at, event, spec, levels)
    return at


def _after(at: Position, event: Event, spec: TranslationSpec, levels: tuple[int, ...]) -> Position:
    if event.kind == "begun" and event.data.get("base"):
        files = applied(at.files, event["files"])
        at = replace(at, files=files, carried=frozenset(event["carried"]))
        return _settled(_past_carried(at, spec), spec, levels)
    if event.kind == "asked":
        return replace(at, turns=event["turn"], pending=event["turn"], ended="")
    if event.kind == "answered":
        return _settled(_answered(at, event), spec, levels)
    if event.kind == "judged":
        return _settled(_judged(at, event), spec, levels)
    if event.kind == "resumed":
        # A person has looked at it: restart the counts of attempts and failures.
        fresh = {"attempts": 0, "dead": 0, "idle": 0} if at.ended in ("human", "agent") else {}
        if event.data.get("changed"):  # the verified code was different
            phase = min(at.phase, 2) if at.module == len(spec.modules) else 1
            at = replace(at, phase=phase, judged=False, green=frozenset())
        judged = at.judged and at.ended != "inconclusive"  # it may have more seeds now
        at = replace(at, ended="", refused="", judged=judged, **fresh)
        return _skipped(at, levels) if at.phase > 1 else at
    if event.kind == "edited":  # by a person
        files = applied(at.files, event["files"])
        return replace(at, files=files, judged=False, green=frozenset())
    if event.kind == "ended":
        # The duration of an interrupted judgement, of which nothing else is known.
        seconds = at.seconds + event.data.get("judging", 0.0)
        return replace(at, ended=event["outcome"], seconds=seconds)
    return at


def _answered(at: Position, event: Event) -> Position:
    kind = TaskKind(event["purpose"])
    changed = bool(event["files"])
    # Not only the agent's tests.
    rewritten = any(path.startswith("src/") for path in event["files"])
    failed = event["status"] != "ok"
    done = changed or not failed
    return replace(
        at,
        pending=None,
        files=applied(at.files, event["files"]),
        meddled=tuple(event["meddled"]),
        usage=at.usage + Usage(**event["usage"]),
        seconds=at.seconds + event["seconds"],
        dead=at.dead + 1 if event["status"] == "crash" or not done else 0,
        idle=at.idle + 1 if kind is TaskKind.REPAIR and done and not rewritten else 0,
        refused=event["status"] if event["status"] in ("auth", "budget") else "",
        reason=event["reason"],
        translated=at.translated + (kind is TaskKind.TRANSLATE and done),
        interactions=at.interactions or (kind is TaskKind.INTERACTIONS and done),
        attempts=at.attempts + (kind is TaskKind.REPAIR),
        judged=at.judged and not rewritten,
        green=frozenset() if rewritten else at.green,
    )


def _judged(at: Position, event: Event) -> Position:
    verdicts = tuple(Verdict.from_json(v) for v in event["verdicts"])
    passed = frozenset(v.level for v in verdicts if v.green) if event["whole"] else frozenset()
    return replace(
        at,
        judged=True,
        verdicts=verdicts,
        green=at.green | passed,
        regressions=at.regressions + tuple(event["regressions"]),
        new_regressions=len(event["regressions"]),
        seconds=at.seconds + event["seconds"],
    )


def _settled(at: Position, spec: TranslationSpec, levels: tuple[int, ...]) -> Position:
    """Advance the phase as far as the results allow."""
    if at.phase == 1:
        unchecked = 1 not in levels and at.translated > at.module
        if unchecked or (at.judged and at.failing is None and at.translated > at.module):
            at = replace(at, module=at.module + 1, attempts=0, judged=False)
            at = _past_carried(at, spec)
        if at.module < len(spec.modules):
            return at
        return _skipped(replace(at, phase=2, attempts=0, judged=False), levels)
    if at.judged and at.failing is None:
        return _skipped(replace(at, phase=at.phase + 1, attempts=0, judged=False), levels)
    return at


def _past_carried(at: Position, spec: TranslationSpec) -> Position:
    """Take carried modules as written. They are judged together, and asked for no more."""
    written = at.translated
    while written < len(spec.modules) and spec.modules[written].name in at.carried:
        written += 1
    return at if written == at.translated else replace(at, module=written - 1, translated=written)


def _skipped(at: Position, levels: tuple[int, ...]) -> Position:
    """Skip to the next phase whose level is wanted."""
    while at.phase <= max(levels) and at.phase not in levels:
        at = replace(at, phase=at.phase + 1)
    return at
