"""What `envwright mutate` and `envwright coverage` stored."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.report.kinds.values import (
    Json,
    Source,
    texts,
)


@dataclass(frozen=True)
class Mutation:
    """Which seeded bugs each level caught."""

    source: Source
    env: str
    backend: str
    tried: int
    in_all: int
    killed: dict[str, int]  # level -> mutants
    killed_by_any: int
    crashed: int
    equivalent: tuple[tuple[str, str], ...]  # mutant, proof
    survived: tuple[tuple[str, str], ...]  # mutant, diff
    interval: tuple[float, float] | None = None  # of the rate of all mutants, if these are a sample
    until_noticed: bool = False  # a level was asked only what those before it missed

    @property
    def judged(self) -> int:
        """Mutants that are not equivalent."""
        return self.tried - len(self.equivalent)


def read_mutation(source: Source, data: Json) -> Mutation:
    """A stored result of this kind; raises on what is none."""
    return Mutation(
        source,
        env=str(data["env"]),
        backend=str(data.get("backend", "")),
        tried=int(data["mutants"]),
        in_all=int(data.get("mutants_in_all", data["mutants"])),
        killed={str(k): int(v) for k, v in data["killed"].items()},
        killed_by_any=int(data["killed_by_any"]),
        crashed=int(data.get("crashed", 0)),
        equivalent=tuple((str(e["mutant"]), str(e["proof"])) for e in data["equivalent"]),
        survived=tuple((str(e["mutant"]), str(e["diff"])) for e in data["survived"]),
        interval=_interval(data),
        until_noticed=bool(data.get("until_noticed", False)),
    )


def _interval(data: Json) -> tuple[float, float] | None:
    low, high = data.get("interval", (0.0, 0.0))
    return (float(low), float(high)) if low < high else None


@dataclass(frozen=True)
class Decision:
    """A comparison of the program, and how often it went either way."""

    text: str
    outcomes: dict[str, int]

    @property
    def one_sided(self) -> bool:
        """Whether an outcome was never seen."""
        return not all(self.outcomes.values())


@dataclass(frozen=True)
class Coverage:
    """What the levels exercised."""

    source: Source
    env: str
    backend: str
    levels: tuple[tuple[int, int, int], ...]  # level, decisions, both outcomes seen
    share: float
    decisions: tuple[Decision, ...]
    missed: tuple[str, ...]
    files: dict[str, Json]
    rust: Json


def read_coverage(source: Source, data: Json) -> Coverage:
    """A stored result of this kind; raises on what is none."""
    files = {
        str(name): {k: int(f[k]) for k in ("lines", "lines_run", "branches", "branches_run")}
        | {"missing": [int(line) for line in f.get("missing", [])]}
        for name, f in data.get("files", {}).items()
    }
    return Coverage(
        source,
        env=str(data["env"]),
        backend=str(data.get("backend", "")),
        levels=tuple(
            (int(each["level"]), int(each["decisions"]), int(each["both_outcomes"]))
            for each in data["levels"]
        ),
        share=float(data["share"]),
        decisions=tuple(
            Decision(str(d["decision"]), {str(k): int(n) for k, n in d["outcomes"].items()})
            for d in data.get("decisions", [])
        ),
        missed=texts([*data.get("unseen", []), *data.get("unvisited", [])]),
        files=files,
        rust=dict(data.get("rust") or {}),
    )
