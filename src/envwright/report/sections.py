"""The section of one environment, ready for the template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from envwright.core.progress import Progress
from envwright.errors import SchemaError
from envwright.report import commands, glance, words
from envwright.report.charts.breakdown import breakdown_chart
from envwright.report.charts.figure import Chart
from envwright.report.charts.throughput import throughput_charts
from envwright.report.charts.training import training_chart
from envwright.report.charts.transfer import forest_chart, pairs_chart
from envwright.report.divergences import Replays, Viewer, viewers
from envwright.report.pictures import file_uri
from envwright.report.recipe.rounds import rounds_charts
from envwright.report.results import Environment, Found, image_of, is_ours
from envwright.report.verdicts import tone, worst
from envwright.schema.results import (
    Ablation,
    Bench,
    BenchRow,
    Breakdown,
    Coverage,
    Elo,
    Level,
    Mutation,
    Optimisation,
    Play,
    Skipped,
    Stored,
    Training,
    Update,
    Verification,
)

T = TypeVar("T", bound=Stored)


@dataclass(frozen=True)
class Made:
    """The origin of numbers: the result's source and the command that makes it again."""

    source: Found[Any]
    command: str


@dataclass
class Comparison:
    """A twin and its reference: all stored results of the two, with the divergences."""

    reference: str
    twin: str
    results: list[Verification]
    made: list[Made]
    viewers: list[Viewer]

    @property
    def levels(self) -> list[Level]:
        """The levels of all results, in order."""
        found = [level for result in self.results for level in result.levels]
        return sorted(found, key=lambda level: level.level)

    @property
    def ours(self) -> bool:
        """Whether the twin is one of the zoo's backends."""
        return any(map(is_ours, self.results))

    @property
    def verdict(self) -> str:
        """The verdict of all levels together."""
        return worst(level.verdict for level in self.levels)

    @property
    def notes(self) -> list[str]:
        """The notes about the pair, without repeats."""
        return list(dict.fromkeys(note for result in self.results for note in result.notes))


@dataclass
class Transferred:
    """Level 4 of one comparison."""

    level: Level
    made: Made
    charts: list[Chart]


@dataclass(frozen=True)
class KeyFigure:
    """A number that sums a section up."""

    value: str
    label: str
    anchor: str
    tone: str = ""


@dataclass
class Section:
    """All content of the page about one environment."""

    env: Environment
    anchor: str
    strips: list[glance.Strip]
    bugs: tuple[int, int] | None
    headline: glance.Headline | None
    picture: str
    comparisons: list[Comparison] = field(default_factory=list)
    transfers: list[Transferred] = field(default_factory=list)
    mutations: list[tuple[Mutation, Made]] = field(default_factory=list)
    coverages: list[tuple[Coverage, Made]] = field(default_factory=list)
    trainings: list[tuple[Training, Made]] = field(default_factory=list)
    training_charts: list[Chart] = field(default_factory=list)
    ratings: list[tuple[Elo, Made]] = field(default_factory=list)
    benches: list[tuple[Bench, Made]] = field(default_factory=list)
    outdated: list[Found[Bench]] = field(default_factory=list)  # benchmarks that newer ones replace
    bench_charts: list[Chart] = field(default_factory=list)
    bench_rows: dict[str, list[BenchRow]] = field(default_factory=dict)
    breakdowns: list[tuple[Breakdown, Made, Chart]] = field(default_factory=list)
    plays: list[tuple[Play, Made, str, str, tuple[int, int]]] = field(default_factory=list)
    optimisations: list[tuple[Optimisation, Made, list[Chart]]] = field(default_factory=list)
    ablations: list[tuple[Ablation, Made]] = field(default_factory=list)
    updates: list[tuple[Update, Made]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)  # kind -> the command that makes it

    @property
    def viewers(self) -> list[Viewer]:
        """All divergences."""
        return [viewer for comparison in self.comparisons for viewer in comparison.viewers]

    @property
    def same_settings(self) -> bool:
        """Whether all training runs had the same configuration."""
        return all(run.config == self.trainings[0][0].config for run, _ in self.trainings)

    @property
    def skipped(self) -> list[Skipped]:
        """Implementations that were left out of the benchmarks, and why, without repeats."""
        return list(dict.fromkeys(each for bench, _ in self.benches for each in bench.skipped))

    @property
    def charts(self) -> list[Chart]:
        """In the order of the page, which draws those of a recipe for any environment."""
        recipe = [chart for _, _, charts in self.optimisations for chart in charts]
        if self.env.spec is None:
            return recipe
        return [
            *self.training_charts,
            *(chart for transfer in self.transfers for chart in transfer.charts),
            *self.bench_charts,
            *(chart for _, _, chart in self.breakdowns),
            *recipe,
        ]

    @property
    def verdict(self) -> str:
        """`equal` if every level that was run is equal."""
        run = [v for strip in self.strips for v in strip.verdicts.values()]
        return worst(run)

    @property
    def key_figures(self) -> list[KeyFigure]:
        """The evidence in a few numbers."""
        figures = [self._compared(), self._caught(), self._transferred(), self._faster()]
        return [figure for figure in figures if figure is not None]

    def _compared(self) -> KeyFigure | None:
        levels = [level for v in self.env.ours for level in v.levels if level.level < 4]
        if not levels:
            return None
        found = sum(len(level.divergences) for level in levels)
        episodes = sum(level.episodes for level in levels)
        cases = sum(level.cases for level in levels)
        return KeyFigure(
            f"{found} divergence{'' if found == 1 else 's'}",
            f"in {episodes:,} episodes and {cases:,} single cases",
            f"{self.anchor}-verification",
            "different" if found else "equal",
        )

    def _caught(self) -> KeyFigure | None:
        if self.bugs is None or not self.bugs[1]:
            return None
        share = words.percent(self.bugs[0] / self.bugs[1])
        return KeyFigure(share, f"of {self.bugs[1]} seeded bugs caught", f"{self.anchor}-adequacy")

    def _transferred(self) -> KeyFigure | None:
        if not self.transfers:
            return None
        verdict = worst(t.level.verdict for t in self.transfers)
        margin = self.transfers[0].level.transfer.margin  # type: ignore[union-attr]
        return KeyFigure(
            verdict,
            f"returns of trained policies, margin ±{words.known(margin)}",
            f"{self.anchor}-transfer",
            tone(verdict),
        )

    def _faster(self) -> KeyFigure | None:
        if self.headline is None or not self.headline.speedups:
            return None
        first, *others = self.headline.speedups
        beside = [f"{words.times(s.ratio)} {s.other}" for s in others]
        label = f"as fast as {first.other}" + (f"; {', '.join(beside)}" if beside else "")
        return KeyFigure(words.times(first.ratio), label, f"{self.anchor}-speed")


def make_section(
    env: Environment,
    anchor: str,
    folder: Path,
    problems: list[SchemaError],
    replays: Replays,
    told: Progress,
) -> Section:
    """Draw and collect; pictures that are none are added to the problems."""
    section = Section(
        env,
        anchor,
        glance.strips(env),
        glance.bugs(env),
        glance.headline(env),
        glance.thumbnail(env),
    )

    def made(found: Found[Any]) -> Made:
        return Made(found, commands.remake(found, env.id))

    def all_of(kind: type[T]) -> list[tuple[T, Made]]:
        return [(each.record, made(each)) for each in env.found(kind)]

    def watched(done: int, total: int) -> None:
        told(f"{env.id} divergences", done, total)

    verifications = sorted(env.found(Verification), key=lambda each: not is_ours(each.record))
    section.comparisons = _comparisons(verifications, made, replays, watched)
    for v, by in all_of(Verification):
        section.transfers += _transfers(f"{anchor}-{len(section.transfers)}", v, by)
    section.mutations = all_of(Mutation)
    section.coverages = all_of(Coverage)
    section.trainings = all_of(Training)
    section.training_charts = _training_charts(anchor, env.found(Training))
    section.ratings = all_of(Elo)
    section.benches = [(b, by) for b, by in all_of(Bench) if not glance.is_outdated(b, env)]
    section.outdated = [b for b in env.found(Bench) if glance.is_outdated(b.record, env)]
    section.bench_rows = glance.rows_by_kind(env)
    section.bench_charts = throughput_charts(f"{anchor}-throughput", section.bench_rows)
    section.breakdowns = [
        (b, by, breakdown_chart(f"{anchor}-breakdown-{i}", b.rows))
        for i, (b, by) in enumerate(all_of(Breakdown))
        if b.rows
    ]
    section.optimisations = [
        (o, by, rounds_charts(f"{anchor}-rounds-{i}", o))
        for i, (o, by) in enumerate(all_of(Optimisation))
    ]
    section.ablations = all_of(Ablation)
    section.updates = all_of(Update)
    for play, by in all_of(Play):
        path = by.source.path
        try:
            section.plays.append((play, by, *file_uri(image_of(path, play))))
        except ValueError as error:
            problems.append(SchemaError(path, f"has no picture: {error}"))
    section.missing = _missing(section, folder)
    return section


def _comparisons(
    found: Sequence[Found[Verification]],
    made: Callable[[Found[Any]], Made],
    replays: Replays,
    told: Callable[[int, int], None],
) -> list[Comparison]:
    """One entry per pair of simulators; levels may have been stored in files of their own."""
    drawn = viewers([each.record for each in found], replays, told)
    pairs: dict[tuple[str, str, str], Comparison] = {}
    for i, each in enumerate(found):
        result = each.record
        key = (result.reference, result.twin, result.backend)
        one = pairs.setdefault(key, Comparison(result.reference, result.twin, [], [], []))
        one.results.append(result)
        one.made.append(made(each))
        one.viewers += drawn[i]
    return list(pairs.values())


def _transfers(id: str, result: Verification, made: Made) -> list[Transferred]:
    found = []
    for level in result.levels:
        if level.transfer is None:
            continue
        charts = []
        if any(d.difference is not None for d in level.transfer.directions):
            charts.append(forest_chart(f"{id}-forest", level.transfer))
        if level.transfer.policies:
            charts.append(
                pairs_chart(f"{id}-pairs", level.transfer.policies, result.reference, result.twin)
            )
        found.append(Transferred(level, made, charts))
    return found


def _training_charts(anchor: str, runs: Sequence[Found[Training]]) -> list[Chart]:
    if not runs:
        return []
    return [
        training_chart(f"{anchor}-training-steps", runs, "steps"),
        training_chart(f"{anchor}-training-seconds", runs, "seconds"),
    ]


def _missing(section: Section, folder: Path) -> dict[str, str]:
    """Return the command for every kind without a result."""
    if section.env.spec is None:
        return {}
    held: dict[str, Sequence[Any]] = {
        "verify": section.env.ours,
        "mutation": section.mutations,
        "coverage": section.coverages,
        "training": section.trainings,
        "transfer": section.transfers,
        "bench": section.benches,
        "breakdown": section.breakdowns,
        "play": section.plays,
    }
    name = section.env.id
    return {
        kind: commands.first(kind, name, folder / f"{name}-{kind}.json")
        for kind, found in held.items()
        if not found
    }
