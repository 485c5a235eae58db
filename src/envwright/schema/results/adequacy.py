"""Results of `envwright mutate` and `envwright coverage`."""

from __future__ import annotations

from typing import Any

import msgspec

from envwright.schema.results.base import Stored


class Survivor(msgspec.Struct):
    """A seeded bug that no level noticed."""

    mutant: str
    diff: str


class Proved(msgspec.Struct):
    """A seeded change that is proved to change nothing."""

    mutant: str
    proof: str


class Noticed(msgspec.Struct, kw_only=True):
    """The policies of level 4, and the mutants that they noticed."""

    policies: int
    episodes: int
    margin: float
    alpha: float
    noticed: list[str]


class Mutation(Stored, kw_only=True, tag="mutation"):
    """Which seeded bugs each level caught."""

    backend: str = ""
    mutants: int  # that were tried
    mutants_in_all: int
    killed: dict[str, int]  # by level, or by the crates' tests
    killed_by_any: int
    crashed: int
    not_compiled: int = 0
    kill_rate: float
    interval: tuple[float, float] = (0.0, 0.0)  # of the rate of all mutants (95 %)
    until_noticed: bool = False  # a level was asked only what those before it missed
    equivalent: list[Proved]
    survived: list[Survivor]
    l4: Noticed | None = None

    @property
    def judged(self) -> int:
        """Mutants that are not equivalent."""
        return self.mutants - len(self.equivalent)


class LevelCoverage(msgspec.Struct):
    """How many decisions a level saw go both ways."""

    level: int
    decisions: int
    both_outcomes: int
    share: float


class Decision(msgspec.Struct):
    """A comparison of the program, and how often it went either way."""

    decision: str
    outcomes: dict[str, int]

    @property
    def one_sided(self) -> bool:
        """Whether an outcome was never seen."""
        return not all(self.outcomes.values())


class Impossible(msgspec.Struct):
    """An outcome that is proved to be impossible."""

    gap: str
    proof: str


class FileCoverage(msgspec.Struct):
    """Lines and branches of one file, with the lines that never ran."""

    lines: int
    lines_run: int
    branches: int
    branches_run: int
    missing: list[int] = []


class Covered(msgspec.Struct):
    """How many of the crates' lines, functions or regions their tests run."""

    count: int
    covered: int


class Coverage(Stored, kw_only=True, tag="coverage"):
    """The decisions that the levels saw both outcomes of, and those that they did not."""

    backend: str
    levels: list[LevelCoverage]
    share: float
    episodes: int  # of level 3
    bound: float  # on the failure rate that these allow (95 %)
    decisions: list[Decision]
    unseen: list[str]
    unreachable: list[Impossible] = []
    unvisited: list[str]
    files: dict[str, FileCoverage]
    rust: dict[str, Any]  # what the crates' tests run: `Covered` by name, or why that is unknown

    def __post_init__(self) -> None:
        if "lines" in self.rust:
            for name in ("lines", "regions"):
                msgspec.convert(self.rust.get(name), Covered)
