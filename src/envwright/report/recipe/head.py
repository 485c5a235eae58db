"""The head of the page: what was translated, by whom, the outcome, and what to do next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from envwright.report import words
from envwright.report.recipe import amounts
from envwright.report.recipe.history import Break, History
from envwright.report.recipe.standing import Standing
from envwright.translate.plan import Position
from envwright.translate.stored_runs import RUNS, StoredRun, last_run

OUTCOMES = {  # in words, and the colour's name
    "verified": ("verified", "equal"),
    "inconclusive": ("inconclusive", "unsure"),
    "human": ("a person is needed", "unsure"),
    "budget": ("budget reached", "unsure"),
    "agent": ("the agent failed", "different"),
    "interrupted": ("interrupted", "unsure"),
    "": ("not ended", "none"),
}
BACKENDS = {"jax": "JAX", "rust": "Rust"}
COSTS = ("costs", "cost", "recorded costs")  # keys under which agents describe these
OPTIONS = ("model", "command", "who")  # settings of an agent that the command line takes again


@dataclass(frozen=True)
class Head:
    """The first screen of the page."""

    run: StoredRun
    at: Position
    history: History
    found: Standing

    # --- how it ended ----------------------------------------------------------------------------

    @property
    def outcome(self) -> tuple[str, str]:
        """The outcome in words, and the colour's name."""
        return OUTCOMES.get(self.at.ended, (self.at.ended, "unsure"))

    @property
    def answer(self) -> str:
        """The outcome in a sentence or two."""
        repairs = sum(turn.purpose == "repair" for turn in self.history.turns)
        told = f"{amounts.plural(self.at.turns, 'turn')}, {repairs or 'none'} of them "
        told += "a repair" if repairs < 2 else "repairs"
        if self.at.ended == "verified":
            levels = words.listed([str(n) for n in self.run.levels])
            return f"Verified on levels {levels} after {told}."
        said = {
            "inconclusive": "The last level could not be decided",
            "human": "It waits for a person",
            "budget": "It stopped at a cap",
            "agent": "The agent could not go on",
            "interrupted": "It was interrupted",
        }.get(self.at.ended, "It has not ended: it is at work, or was stopped without a word")
        # The reason of an undecided level is a whole table.
        reason = f": {self.reason}" if self.reason and "\n" not in self.reason else ""
        return f"{said}, after {told}{reason}."

    @property
    def reason(self) -> str:
        """The reason that was given at the end."""
        return self._end.reason if self._end and self.at.ended else ""

    @property
    def _end(self) -> Break | None:
        ends = [b for b in self.history.breaks if b.what == "ended"]
        return ends[-1] if ends else None

    @property
    def when(self) -> str:
        """When the run began and ended."""
        events = self.run.journal.events
        until = "ended" if self.at.ended else "last heard of"
        return f"begun {moment(events[0].time)}, {until} {moment(events[-1].time)}"

    # --- who and what ------------------------------------------------------------------------

    @property
    def title(self) -> tuple[str, str]:
        """The title: from what into what."""
        reference, target = self.run.spec.reference, self.run.spec.target
        source = reference.simulator or reference.specification
        return source, BACKENDS.get(target.backend, target.backend)

    @property
    def agent(self) -> dict[str, str]:
        """The agent's description of itself when it was last started."""
        told = [b.agent for b in self.history.breaks if b.agent]
        return told[-1] if told else {}

    @property
    def costs(self) -> str:
        """The agent's description of its costs."""
        said = next((self.agent[key] for key in COSTS if self.agent.get(key)), "")
        return "" if said == amounts.UNKNOWN else said

    @property
    def budget(self) -> list[str]:
        """The caps of the run."""
        caps = self.run.journal.of("begun", "resumed")[-1].data.get("budget") or {}
        names = {"dollars": "dollars", "tokens": "tokens", "iterations": "turns"}
        names |= {"minutes": "minutes", "per_level": "repairs at a level"}
        return [
            f"{_number(caps[k])} {name}" for k, name in names.items() if caps.get(k) is not None
        ]

    @property
    def machine(self) -> dict[str, object]:
        """The machine of the judge."""
        return dict(self.run.journal.of("begun")[0].data.get("machine") or {})

    @property
    def figures(self) -> list[tuple[str, str, str]]:
        """The key figures: value, name, and the colour's name."""
        said, tone = self.outcome
        usage = self.at.usage
        repairs = sum(turn.purpose == "repair" for turn in self.history.turns)
        tests = f"{self.found.green} of {self.found.known}"
        return [
            (said, f"levels {', '.join(map(str, self.run.levels))}", tone),
            (tests, "tests of the harness green", ""),
            (str(self.at.turns), f"turns, {amounts.plural(repairs, 'repair')}", ""),
            (amounts.tokens(usage.tokens), "tokens", "" if usage.tokens else "none"),
            (amounts.dollars(usage.dollars), "dollars", "" if usage.dollars else "none"),
            (amounts.duration(self.at.seconds), "of agent and judge", ""),
        ]

    # --- commands ------------------------------------------------------------------------------

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands, each with its purpose."""
        if self.agent.get("kind") == "replay" and self.at.ended == "verified":
            return [("Do it again", _joined("translate", self._folder, *self._replay))]
        if self.at.ended == "verified":
            place = f"{self.run.spec.id}-recording"
            return [
                ("Keep it", _joined("record", shown(self.run.folder), place)),
                ("Do what was kept again", _joined("translate", place, *self._replay)),
            ]
        if self.run.folder.parent.name != RUNS:
            return [("Go on", _joined("ablate", self._folder, *self._who))]
        if last_run(self.run.spec) != self.run.folder.resolve():
            return []  # --resume goes on with the last run, and this is not the last
        return [("Go on", _joined("translate", self._folder, *self._who, "--resume"))]

    @property
    def _replay(self) -> list[str]:
        return ["--agent", "replay", *(["--trust"] if self.run.spec.own_code else [])]

    @property
    def _folder(self) -> str:
        return shown(self.run.spec.folder)

    @property
    def _who(self) -> list[str]:
        told = [
            x for name in OPTIONS if self.agent.get(name) for x in (f"--{name}", self.agent[name])
        ]
        unsafe = ["--unsafe"] if self.agent.get("confined") == "no" else []
        return ["--agent", self.agent.get("kind", "AGENT"), *told, *unsafe]


def moment(seconds: float) -> str:
    """Format a time of the journal for people."""
    return words.day(datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes"))


def shown(path: Path) -> str:
    """Return a path, relative if it lies below this folder: pages are for others, too."""
    whole, here = path.resolve(), Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def _number(cap: float) -> str:
    return f"{cap:,.0f}" if cap == int(cap) else f"{cap:,g}"


def _joined(*parts: str) -> str:
    return shlex.join(["envwright", *parts])
