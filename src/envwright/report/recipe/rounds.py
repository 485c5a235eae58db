"""Rounds of optimisation: what each change brought, and whether it was kept."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envwright.agents.base import Usage
from envwright.report import words
from envwright.report.charts.figure import Chart, Series, add_band_line, blank
from envwright.report.recipe import amounts
from envwright.report.recipe.changes import Change

if TYPE_CHECKING:
    from envwright.report.kinds import Source

HEIGHT = 280


def times(gain: float | None) -> str:
    """`1.004×`: a hundredth is worth a change here."""
    return "–" if gain is None else f"{gain:.3f}×"


@dataclass(frozen=True)
class Raced:
    """One batch size: steps per second of both, repeat by repeat."""

    batch: int
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def medians(self) -> tuple[float, float]:
        return statistics.median(self.before), statistics.median(self.after)

    @property
    def ratio(self) -> float:
        """The median of the ratios within repeats."""
        pairs = zip(self.after, self.before, strict=True)
        return statistics.median(after / before for after, before in pairs)


@dataclass(frozen=True)
class Round:
    """One change that was tried."""

    number: int
    said: str
    kept: bool
    why: str
    gain: float | None  # None: it was not raced
    low: float | None  # the gain is above this with 95 % confidence
    race: tuple[Raced, ...]
    meddled: tuple[str, ...] = ()
    status: str = "ok"
    changes: tuple[Change, ...] = ()
    unchecked: str = ""  # what of the timed runs could not be checked, and why

    @property
    def measured(self) -> tuple[str, str]:
        """The gain, and what it is above."""
        return times(self.gain), times(self.low)


@dataclass(frozen=True)
class Optimisation:
    """All rounds after a run."""

    source: Source | None  # None: read from the run itself
    env: str
    rounds: tuple[Round, ...]
    usage: Usage

    @property
    def cost(self) -> str:
        """What the rounds cost."""
        tokens = f"Tokens of these rounds: {amounts.tokens(self.usage.tokens)}"
        return f"{tokens}; dollars: {amounts.dollars(self.usage.dollars).lstrip('$')}."

    @property
    def gain(self) -> float:
        """How many times faster than at the start."""
        return math.prod(r.gain for r in self.rounds if r.kept and r.gain)

    @property
    def answer(self) -> str:
        """What it comes to."""
        kept = sum(r.kept for r in self.rounds)
        if not kept:
            return f"Of {len(self.rounds)} changes none was kept: the verified code stays."
        were = "was" if kept == 1 else "were"
        return (
            f"{times(self.gain)} as fast as the verified code: {kept} of {len(self.rounds)} "
            f"changes {were} kept, faster beyond the noise and still equal.{self._doubt}"
        )

    @property
    def _doubt(self) -> str:
        """Of the changes that were kept, those whose timed runs were not checked whole."""
        numbers = [str(r.number) for r in self.rounds if r.kept and r.unchecked]
        if not numbers:
            return ""
        which = "round" if len(numbers) == 1 else "rounds"
        where = f"{which} {words.listed(numbers)}"
        return f" In the timed runs of {where} not everything could be checked."


def read_optimisation(source: Source | None, data: dict[str, Any]) -> Optimisation:
    """What `envwright optimise --json` wrote."""
    usage = {k: v for k, v in data["usage"].items() if k in Usage().to_json()}
    rounds = tuple(read_round(r, number=int(r["round"])) for r in data["rounds"])
    return Optimisation(source, str(data["env"]), rounds, Usage(**usage))


def read_round(data: dict[str, Any], number: int, changes: tuple[Change, ...] = ()) -> Round:
    """One round, of a file or of the journal."""
    race = data["race"] or {}
    return Round(
        number=number,
        said=str(data["said"]),
        kept=bool(data["kept"]),
        why=str(data["why"]),
        gain=_positive(race.get("gain")),
        low=_positive(race.get("low")),
        race=tuple(_raced(batch, both) for batch, both in (race.get("batches") or {}).items()),
        meddled=tuple(map(str, data.get("meddled", ()))),
        status=str(data.get("status", "ok")),
        changes=changes,
        unchecked=str(race.get("unchecked") or ""),
    )


def _raced(batch: str, both: dict[str, Any]) -> Raced:
    before, after = (tuple(map(float, both[side])) for side in ("incumbent", "candidate"))
    if not before or len(before) != len(after) or min(*before, *after) <= 0:
        raise ValueError(f"the race at batch {batch} has no speeds of both")
    return Raced(int(batch), before, after)


def _positive(value: Any) -> float | None:
    return float(value) if value is not None and float(value) > 0 else None


# --- charts --------------------------------------------------------------------------------------


def rounds_charts(id: str, found: Optimisation) -> list[Chart]:
    """The gain of every round, and speed over the batch before and after."""
    raced = [r for r in found.rounds if r.gain is not None]
    kept = [r for r in raced if r.kept]
    charts = [_gains(f"{id}-gains", raced)] if raced else []
    if kept:
        charts.append(_speeds(f"{id}-speeds", kept[0], kept[-1]))
    return charts


def _gains(id: str, rounds: list[Round]) -> Chart:
    figure = blank(HEIGHT, "round", "times as fast as before it")
    for kept in (False, True):
        mine = [r for r in rounds if r.kept == kept]
        colour = "var(--equal)" if kept else "var(--reference)"
        gains = [r.gain or 1.0 for r in mine]
        figure.add_scatter(
            x=[r.number for r in mine],
            y=gains,
            mode="markers",
            marker={"size": 10, "color": colour, "symbol": "circle" if kept else "circle-open"},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [0.0] * len(mine),
                "arrayminus": [g - (r.low or g) for g, r in zip(gains, mine, strict=True)],
                "color": colour,
                "thickness": 1.5,
            },
            text=[
                f"round {r.number}, {'kept' if kept else 'not kept'}<br>"
                f"{times(r.gain)}, above {times(r.low)}"
                for r in mine
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    figure.add_hline(y=1.0, line={"color": "var(--soft)", "width": 1, "dash": "dot"})
    figure.update_xaxes(dtick=1, range=[0.5, max(r.number for r in rounds) + 0.5])
    told = (f"round {r.number} {times(r.gain)}, {'kept' if r.kept else 'not kept'}" for r in rounds)
    legend = (("kept", "equal"), ("not kept", "reference"))
    return Chart(id, "Gain of each change", f"Gains: {'; '.join(told)}.", figure, HEIGHT, legend)


def _speeds(id: str, first: Round, last: Round) -> Chart:
    lines = [
        _line("before", "reference", [(r.batch, r.before) for r in first.race]),
        _line("after", "ours", [(r.batch, r.after) for r in last.race]),
    ]
    figure = blank(HEIGHT, "environments in a batch", "steps per second")
    for line in lines:
        add_band_line(figure, line)
        figure.data[-1].update(mode="lines+markers", marker={"size": 7, "color": line.line})
    batches = sorted({batch for line in lines for batch in line.x})
    figure.update_xaxes(
        type="log", tickvals=batches, ticktext=[f"{int(batch):,}" for batch in batches]
    )
    figure.update_yaxes(type="log", tickformat="~s")
    top = max(max(line.y) for line in lines)
    alt = f"Steps per second before and after, by batch; at most {words.steps(top)}."
    legend = tuple((line.name, line.colour) for line in lines)
    return Chart(id, "Speed before and after", alt, figure, HEIGHT, legend)


def _line(name: str, colour: str, samples: list[tuple[int, tuple[float, ...]]]) -> Series:
    middle = [statistics.median(values) for _, values in samples]
    return Series(
        name,
        colour,
        x=[float(batch) for batch, _ in samples],
        y=middle,
        low=[min(values) for _, values in samples],
        high=[max(values) for _, values in samples],
        said=[
            f"{name}, batch {batch:,}<br>{words.steps(m)} steps/s"
            for (batch, _), m in zip(samples, middle, strict=True)
        ],
    )
