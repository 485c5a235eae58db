"""What `envwright train`, `elo` and `play` stored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envwright.report.kinds.values import (
    Json,
    Source,
    number,
    whole,
)


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


def read_training(source: Source, data: Json) -> Training:
    """A stored result of this kind; raises on what is none."""
    steps = tuple(int(s) for s in data["steps"])
    returns = tuple(tuple(number(r) for r in seed) for seed in data["returns"])
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
        parameters=whole(data.get("parameters")),
        config=dict(data.get("config") or {}),
        seeds=tuple(int(seed) for seed in data.get("seeds", range(len(returns)))),
        steps=steps,
        seconds=seconds,
        returns=returns,
        final=number((data.get("final_return") or {}).get("mean")),
        steps_per_second=number(data.get("steps_per_second")),
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


def read_elo(source: Source, data: Json) -> Elo:
    """A stored result of this kind; raises on what is none."""
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


def read_play(source: Source, data: Json) -> Play:
    """A stored result of this kind; raises on what is none."""
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
