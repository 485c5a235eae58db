"""What `envwright verify` stored: levels, divergences, transfer."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.report.kinds.values import (
    Json,
    Source,
    number,
    numbers,
    texts,
    whole,
)
from envwright.schema.divergence import Divergence, PairDivergence
from envwright.verify.divergence import pair_spec


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


def read_verification(source: Source, data: Json) -> Verification:
    """A stored result of this kind; raises on what is none."""
    return Verification(
        source,
        env=str(data["env"]),
        backend=str(data["backend"]),
        reference=str(data["reference"]),
        twin=str(data["twin"]),
        seed=int(data["seed"]),
        notes=texts(data.get("notes", [])),
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
        bound=number(data.get("bound")),
        near_boundary=int(data.get("near_boundary", 0)),
        gaps={str(k): float(v) for k, v in data.get("largest_gaps", {}).items()},
        differences=_apart(data.get("differences", {})),
        notes=texts(notes),
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
    if isinstance(found, PairDivergence):
        pair_spec(found)
    return found


def _transfer(data: Json) -> Transfer:
    return Transfer(
        margin=number(data["margin"]),
        margin_why=str(data.get("margin_why", "")),
        alpha=float(data.get("alpha", 0.05)),
        horizon=whole(data.get("horizon")),
        episodes=whole(data.get("episodes")),
        directions=tuple(map(_direction, data["directions"])),
        policies=tuple(map(_paired, data.get("policies", []))),
        correlation=numbers(data.get("correlation") or {}),
        visitation=numbers(data.get("visitation") or {}),
    )


def _direction(data: Json) -> Direction:
    return Direction(
        trained_in=str(data["trained_in"]),
        case=str(data.get("case", "")),
        reason=str(data.get("reason", "")),
        n=int(data["n"]),
        policies=int(data.get("policies", 0)),
        **{k: number(data[k]) for k in ("mean_reference", "mean_twin", "difference")},
        **{k: number(data[k]) for k in ("low", "high", "p")},
        p_difference=number(data.get("p_difference")),
        power=number(data.get("power")),
        verdict=str(data["verdict"]),
    )


def _paired(data: Json) -> PairedPolicy:
    return PairedPolicy(
        trained_in=str(data["trained_in"]),
        **{k: int(data.get(k) or 0) for k in ("seed", "stage", "steps")},
        return_reference=float(data["return_reference"]),
        return_twin=float(data["return_twin"]),
    )
