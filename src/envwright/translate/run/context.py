"""The context of a run: specification, journal, store and workspace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.agents.base import Agent
from envwright.translate.goldens import Recording
from envwright.translate.journal import Journal, Store
from envwright.translate.plan import Position, fold
from envwright.translate.run.reporter import Reporter
from envwright.translate.spec import TranslationSpec
from envwright.translate.workspace import Workspace


@dataclass(frozen=True)
class Base:
    """Verified code that a run begins with. All of it is judged again."""

    run: str
    files: Mapping[str, bytes]  # by path in the workspace
    carried: tuple[str, ...]  # modules that the agent is not asked for


@dataclass
class RunContext:
    """A translation and its journal."""

    folder: Path
    spec: TranslationSpec
    agent: Agent
    levels: tuple[int, ...]
    confined: bool = True
    reporter: Reporter = Reporter()
    clock: Callable[[], float] = time.time
    seed: int | None = None  # for everything that decides; None draws one
    base: Base | None = None
    recordings: list[Recording] = field(default_factory=list)  # calls of the reference's functions

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()  # a jail has another working directory
        self.folder.mkdir(parents=True, exist_ok=True)
        self.journal = Journal(self.folder / "journal.jsonl", self.clock)
        self.store = Store(self.folder / "objects")
        root = self.folder / "workspace"
        root.mkdir(exist_ok=True)
        self.workspace = Workspace(root, self.store, self.spec.target.package)

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return fold(self.journal.events, self.spec, self.levels)

    @property
    def secret(self) -> int:
        """Seed of everything that decides. Agents cannot see it."""
        return self.journal.of("begun")[0]["seed"]

    @property
    def known(self) -> dict[str, Any]:
        """The specification and the levels, according to the journal."""
        begun = self.journal.of("begun", "resumed")
        return {name: begun[-1][name] for name in ("spec", "levels")} if begun else {}

    @property
    def code(self) -> Path:
        """The parent folder of the translated package, for a Python path."""
        return self.workspace.root / "src"

    def tests(self, at: Position) -> list[bytes]:
        """Return the regression tests."""
        return [self.store.get(name) for name in at.regressions]
