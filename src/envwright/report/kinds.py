"""What stored results say, read from their JSON: one class for each kind.

Everything that the page uses is read here, so that a file which is not what it says it is
is found before anything is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.report.recipe.ablation import Ablation, read_ablation
from envwright.report.recipe.rounds import Optimisation, read_optimisation
from envwright.verify.divergence import Divergence

Json = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """Where a result was read, on which machine it was made, and how."""

    path: Path
    kind: str
    machine: Json = field(default_factory=dict)
    command: str = ""  # as stored; most results do not say

    @property
    def date(self) -> str:
        """When it was measured, or nothing where that was not recorded."""
        return str(self.machine.get("date") or "")


# --- verification -----------------------------------------------------------------------


@dataclass(frozen=True)
class Direction:
    """Policies trained on one side, played on both; numbers are None where no test fits."""

    trained_in: str
    case: str
    reason: str
    n: int
    policies: int
    mean_reference: float | None
    mean_twin: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_difference: float | None
    power: float | None
    verdict: str


@dataclass(frozen=True)
class PairedPolicy:
    """One policy's mean return on both sides."""

    trained_in: str
    seed: int
    stage: int
    steps: int
    return_reference: float
    return_twin: float


@dataclass(frozen=True)
class Transfer:
    """Level 4: does a policy notice?"""

    margin: float | None
    margin_why: str
    alpha: float
    horizon: int | None
    episodes: int | None
    directions: tuple[Direction, ...]
    policies: tuple[PairedPolicy, ...]
    correlation: Json
    visitation: Json


@dataclass(frozen=True)
class Apart:
    """How far a field of one check is apart: quantiles, absolute and relative."""

    check: str
    field: str
    numbers: int
    absolute: dict[str, float]
    relative: dict[str, float]


@dataclass(frozen=True)
class Level:
    """One level's verdict with the evidence behind it."""

    level: int
    verdict: str
    cases: int
    episodes: int
    steps: int
    bound: float | None
    near_boundary: int
    gaps: dict[str, float]
    differences: tuple[Apart, ...]
    notes: tuple[str, ...]
    divergences: tuple[Divergence, ...]
    transfer: Transfer | None


@dataclass(frozen=True)
class Verification:
    """All levels of one comparison."""

    source: Source
    env: str
    backend: str
    reference: str
    twin: str
    seed: int
    notes: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def divergences(self) -> list[Divergence]:
        """Of all levels, in order."""
        return [d for level in self.levels for d in level.divergences]


def _verification(source: Source, data: Json) -> Verification:
    return Verification(
        source,
        env=str(data["env"]),
        backend=str(data["backend"]),
        reference=str(data["reference"]),
        twin=str(data["twin"]),
        seed=int(data["seed"]),
        notes=_texts(data.get("notes", [])),
        levels=tuple(sorted(map(_level, data["levels"]), key=lambda level: level.level)),
    )


def _level(data: Json) -> Level:
    notes = [*data.get("notes", []), *([data["inconclusive"]] if data.get("inconclusive") else [])]
    transfer = data.get("transfer")
    return Level(
        level=int(data["level"]),
        verdict=str(data["verdict"]),
        cases=int(data.get("cases", 0)),
        episodes=int(data.get("episodes", 0)),
        steps=int(data.get("steps", 0)),
        bound=_number(data.get("bound")),
        near_boundary=int(data.get("near_boundary", 0)),
        gaps={str(k): float(v) for k, v in data.get("largest_gaps", {}).items()},
        differences=_apart(data.get("differences", {})),
        notes=_texts(notes),
        divergences=tuple(map(_divergence, data.get("divergences", []))),
        transfer=None if transfer is None else _transfer(transfer),
    )


def _apart(data: Json) -> tuple[Apart, ...]:
    return tuple(
        Apart(
            str(check),
            str(field),
            int(seen["numbers"]),
            *(
                {str(k): float(v) for k, v in seen[kind].items()}
                for kind in ("absolute", "relative")
            ),
        )
        for check, fields in data.items()
        for field, seen in fields.items()
    )


def _divergence(data: Json) -> Divergence:
    """Whole enough to be told and tried; whether it still shows is another question."""
    found = Divergence.from_json(data)
    found.spec()
    if not (isinstance(found.step, int) and isinstance(found.actions, list)):
        raise ValueError("a divergence needs a step and a list of actions")
    return found


def _transfer(data: Json) -> Transfer:
    return Transfer(
        margin=_number(data["margin"]),
        margin_why=str(data.get("margin_why", "")),
        alpha=float(data.get("alpha", 0.05)),
        horizon=_whole(data.get("horizon")),
        episodes=_whole(data.get("episodes")),
        directions=tuple(map(_direction, data["directions"])),
        policies=tuple(map(_paired, data.get("policies", []))),
        correlation=_numbers(data.get("correlation") or {}),
        visitation=_numbers(data.get("visitation") or {}),
    )


def _direction(data: Json) -> Direction:
    return Direction(
        trained_in=str(data["trained_in"]),
        case=str(data.get("case", "")),
        reason=str(data.get("reason", "")),
        n=int(data["n"]),
        policies=int(data.get("policies", 0)),
        **{k: _number(data[k]) for k in ("mean_reference", "mean_twin", "difference")},
        **{k: _number(data[k]) for k in ("low", "high", "p")},
        p_difference=_number(data.get("p_difference")),
        power=_number(data.get("power")),
        verdict=str(data["verdict"]),
    )


def _paired(data: Json) -> PairedPolicy:
    return PairedPolicy(
        trained_in=str(data["trained_in"]),
        **{k: int(data.get(k) or 0) for k in ("seed", "stage", "steps")},
        return_reference=float(data["return_reference"]),
        return_twin=float(data["return_twin"]),
    )


# --- adequacy ----------------------------------------------------------------------------


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


def _mutation(source: Source, data: Json) -> Mutation:
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


def _coverage(source: Source, data: Json) -> Coverage:
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
        missed=_texts([*data.get("unseen", []), *data.get("unvisited", [])]),
        files=files,
        rust=dict(data.get("rust") or {}),
    )


# --- speed ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class BenchRow:
    """One implementation at one batch."""

    implementation: str
    role: str
    kind: str
    batch: int
    threads: int | None
    cores_used: float | None
    sps: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    compile_seconds: float | None
    samples: tuple[float, ...]
    bytes_per_env: float | None
    peak_memory_mb: float | None

    @property
    def spread(self) -> tuple[float, float]:
        """The slowest and the fastest repeat."""
        return min(self.samples, default=self.sps), max(self.samples, default=self.sps)


@dataclass(frozen=True)
class Bench:
    """Steps per second of ours, the reference and the peers."""

    source: Source
    env: str
    settings: Json
    rows: tuple[BenchRow, ...]
    skipped: tuple[tuple[str, str], ...]  # implementation, reason


def _bench(source: Source, data: Json) -> Bench:
    settings = dict(data.get("settings") or {})
    return Bench(
        source,
        env=str(data["env"]),
        settings=settings,
        rows=tuple(_bench_row(row, settings) for row in data["rows"]),
        skipped=_skipped(data),
    )


def _bench_row(row: Json, settings: Json) -> BenchRow:
    return BenchRow(
        implementation=str(row["implementation"]),
        role=str(row["role"]),
        kind=str(row.get("kind") or settings.get("kind", "random")),
        batch=int(row["batch"]),
        threads=_whole(row.get("threads")),
        cores_used=_number(row.get("cores_used")),
        sps=_positive(row["sps_mean"]),
        **{k: _number(row.get(k)) for k in ("ratio", "ratio_low", "ratio_high")},
        compile_seconds=_number(row.get("compile_seconds")),
        samples=tuple(map(_positive, row.get("samples", []))),
        bytes_per_env=_number(row.get("bytes_per_env")),
        peak_memory_mb=_number(row.get("peak_memory_mb")),
    )


PARTS = ("environment", "inference", "update", "transfer")


@dataclass(frozen=True)
class BreakdownRow:
    """Where the time of one training iteration goes."""

    implementation: str
    role: str
    size: str
    parameters: int | None
    batch: int | None
    seconds: dict[str, float]  # part -> seconds
    iteration_seconds: float

    @property
    def share(self) -> dict[str, float]:
        """Of the parts in their sum."""
        whole = sum(self.seconds.values()) or 1.0
        return {part: seconds / whole for part, seconds in self.seconds.items()}


@dataclass(frozen=True)
class Breakdown:
    """Time of a training iteration over network sizes."""

    source: Source
    env: str
    rows: tuple[BreakdownRow, ...]
    skipped: tuple[tuple[str, str], ...]


def _breakdown(source: Source, data: Json) -> Breakdown:
    return Breakdown(
        source, str(data["env"]), tuple(map(_breakdown_row, data["rows"])), _skipped(data)
    )


def _breakdown_row(row: Json) -> BreakdownRow:
    seconds = {part: float(row["seconds"].get(part) or 0.0) for part in PARTS}
    return BreakdownRow(
        implementation=str(row["implementation"]),
        role=str(row["role"]),
        size=str(row["size"]),
        parameters=_whole(row.get("parameters")),
        batch=_whole(row.get("batch")),
        seconds=seconds,
        iteration_seconds=float(row.get("iteration_seconds") or sum(seconds.values())),
    )


# --- training -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """Learning curves of several seeds on one backend."""

    source: Source
    env: str
    backend: str
    simulator: str
    parameters: int | None
    config: Json
    seeds: tuple[int, ...]
    steps: tuple[int, ...]
    seconds: tuple[float, ...]
    returns: tuple[tuple[float | None, ...], ...]  # per seed, per point
    final: float | None
    steps_per_second: float | None


def _training(source: Source, data: Json) -> Training:
    steps = tuple(int(s) for s in data["steps"])
    returns = tuple(tuple(_number(r) for r in seed) for seed in data["returns"])
    if not returns or any(len(seed) != len(steps) for seed in returns):
        raise ValueError("each seed needs a return for every entry of steps")
    seconds = tuple(float(s) for s in data["seconds"])
    if len(seconds) != len(steps):
        raise ValueError("seconds and steps differ in length")
    return Training(
        source,
        env=str(data["env"]),
        backend=str(data["backend"]),
        simulator=str(data.get("simulator", data["backend"])),
        parameters=_whole(data.get("parameters")),
        config=dict(data.get("config") or {}),
        seeds=tuple(int(seed) for seed in data.get("seeds", range(len(returns)))),
        steps=steps,
        seconds=seconds,
        returns=returns,
        final=_number((data.get("final_return") or {}).get("mean")),
        steps_per_second=_number(data.get("steps_per_second")),
    )


@dataclass(frozen=True)
class Rating:
    """How strong one player of a round robin is."""

    name: str
    elo: float
    interval: tuple[float, float]
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Elo:
    """Ratings of everybody who met, the strongest first."""

    source: Source
    env: str
    backend: str
    games: int
    players: tuple[Rating, ...]


def _elo(source: Source, data: Json) -> Elo:
    players = [
        Rating(
            str(p["name"]), float(p["elo"]), (float(p["low"]), float(p["high"])),
            int(p["wins"]), int(p["ties"]), int(p["losses"]),
        )
        for p in data["players"]
    ]  # fmt: skip
    strongest_first = tuple(sorted(players, key=lambda p: -p.elo))
    return Elo(source, str(data["env"]), str(data["backend"]), int(data["games"]), strongest_first)


@dataclass(frozen=True)
class Play:
    """A trained policy at work: a picture or a short animation beside the JSON."""

    source: Source
    env: str
    backend: str
    simulator: str
    image: Path
    caption: str


def _play(source: Source, data: Json) -> Play:
    folder = source.path.parent.resolve()
    image = (folder / str(data["image"])).resolve()
    if not image.is_relative_to(folder):
        raise ValueError("its image lies outside of its folder")
    if not image.is_file():
        raise ValueError(f"its image {data['image']} is missing")
    return Play(
        source,
        env=str(data["env"]),
        backend=str(data.get("backend", "")),
        simulator=str(data.get("simulator", "")),
        image=image,
        caption=str(data.get("caption") or f"a policy trained in {data.get('simulator', '')}"),
    )


Result = (
    Verification
    | Mutation
    | Coverage
    | Bench
    | Breakdown
    | Training
    | Elo
    | Play
    | Ablation
    | Optimisation
)

READERS: dict[str, Callable[[Source, Json], Result]] = {
    "verify": _verification,
    "mutation": _mutation,
    "coverage": _coverage,
    "bench": _bench,
    "breakdown": _breakdown,
    "training": _training,
    "elo": _elo,
    "play": _play,
    "ablation": read_ablation,
    "optimisation": read_optimisation,
}


# --- numbers and texts ------------------------------------------------------------------------


def _number(value: Any) -> float | None:
    """A finite number, or None: a chart has no place for NaN."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _positive(value: Any) -> float:
    number = float(value)
    if not number > 0:
        raise ValueError(f"a speed of {value}")
    return number


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _numbers(data: Json) -> dict[str, float | None]:
    """The numbers among the values."""
    plain = {k: v for k, v in data.items() if v is None or isinstance(v, int | float | str)}
    return {str(k): _number(v) for k, v in plain.items()}


def _texts(values: list[Any]) -> tuple[str, ...]:
    return tuple(str(v) for v in values)


def _skipped(data: Json) -> tuple[tuple[str, str], ...]:
    return tuple(
        (str(s["implementation"]), str(s.get("reason", ""))) for s in data.get("skipped", [])
    )
