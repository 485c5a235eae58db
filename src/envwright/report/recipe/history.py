"""Read the history of a run, turn by turn, from its journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from envwright.agents.base import Usage
from envwright.translate.journal import Event
from envwright.translate.verdict import Verdict

Files = dict[str, str | None]  # path -> name in the store, None if it is gone


@dataclass(frozen=True)
class Judgement:
    """The judge's verdict on the code at one moment."""

    phase: int
    module: int  # modules that were finished before
    verdicts: tuple[Verdict, ...]
    regressions: tuple[str, ...]  # new tests, by their names in the store
    seconds: float

    @property
    def failing(self) -> Verdict | None:
        """The level that failed: judging stops there."""
        return next((v for v in self.verdicts if not v.green), None)

    @property
    def tone(self) -> str:
        """The colour's name."""
        return "equal" if self.failing is None else tone_of(self.failing)


def tone_of(verdict: Verdict) -> str:
    """The colour's name: `unsure` if nothing failed and the level is inconclusive."""
    return "equal" if verdict.green else "different" if verdict.failures else "unsure"


@dataclass
class Turn:
    """A turn of the agent, with its outcome."""

    number: int
    purpose: str  # translate, interactions or repair
    task: str
    prompt: str  # its name in the store
    time: float
    status: str = ""  # empty: there is no answer yet
    reason: str = ""
    text: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    files: Files = field(default_factory=dict)
    meddled: tuple[str, ...] = ()
    judgements: list[Judgement] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Its name in histories."""
        return f"turn {self.number}"


@dataclass
class Edit:
    """Code that no turn wrote: a person's, or that of an earlier run."""

    time: float
    label: str
    files: Files
    judgements: list[Judgement] = field(default_factory=list)
    base: str = ""  # the earlier run


@dataclass(frozen=True)
class Break:
    """The run was begun, resumed, or ended: `what` in a sentence, with `reason`."""

    time: float
    what: str  # begun, resumed or ended
    outcome: str = ""
    reason: str = ""
    agent: dict[str, str] = field(default_factory=dict)


Entry = Turn | Edit | Break


@dataclass
class History:
    """All events, in order."""

    entries: list[Entry] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        return [e for e in self.entries if isinstance(e, Turn)]

    @property
    def edits(self) -> list[Turn | Edit]:
        """All events that could change code, in order."""
        return [e for e in self.entries if isinstance(e, Turn | Edit)]

    @property
    def breaks(self) -> list[Break]:
        return [e for e in self.entries if isinstance(e, Break)]

    def judged(self) -> Iterator[tuple[Turn | Edit, Judgement]]:
        """Every judgement with the change before it."""
        for entry in self.edits:
            for judgement in entry.judgements:
                yield entry, judgement


def read_history(events: list[Event]) -> History:
    """Fold the events. A judgement belongs to the last change of the code before it."""
    history = History()
    turns: dict[int, Turn] = {}
    for event in events:
        if event.kind == "asked":
            turn = Turn(event["turn"], event["purpose"], event["task"], event["prompt"], event.time)
            turns[turn.number] = turn
            history.entries.append(turn)
        elif event.kind == "answered":
            _answer(turns[event["turn"]], event)
        elif event.kind == "judged":
            history.edits[-1].judgements.append(_judgement(event))
        elif event.kind == "edited":
            number = 1 + sum(isinstance(e, Edit) and not e.base for e in history.entries)
            label = f"a person's edit {number}"
            history.entries.append(Edit(event.time, label, dict(event["files"])))
        elif event.kind in ("begun", "resumed"):
            agent = {str(k): str(v) for k, v in event["agent"].items()}
            history.entries.append(Break(event.time, event.kind, agent=agent))
            if base := event.data.get("base"):
                files, label = dict(event["files"]), f"the code of run {base}"
                history.entries.append(Edit(event.time, label, files, base=base))
        elif event.kind == "ended":
            history.entries.append(
                Break(event.time, "ended", str(event["outcome"]), str(event["reason"]))
            )
    return history


def _answer(turn: Turn, event: Event) -> None:
    turn.status, turn.reason = str(event["status"]), str(event["reason"])
    turn.text = str(event["text"]).strip()
    turn.usage, turn.seconds = Usage(**event["usage"]), float(event["seconds"])
    turn.files = dict(event["files"])
    turn.meddled = tuple(map(str, event["meddled"]))


def _judgement(event: Event) -> Judgement:
    return Judgement(
        phase=int(event["phase"]),
        module=int(event["module"]),
        verdicts=tuple(Verdict.from_json(v) for v in event["verdicts"]),
        regressions=tuple(event["regressions"]),
        seconds=float(event["seconds"]),
    )
