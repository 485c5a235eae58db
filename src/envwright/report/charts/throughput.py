"""Chart steps per second over the batch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from envwright.report import words
from envwright.report.charts.figure import REFERENCE, Chart, Colours, Series, add_band_line, blank
from envwright.schema.results import BenchRow

HEIGHT = 330
TITLES = {
    "random": "Random actions",
    "rollout": "Roll-outs of a policy",
    "ppo": "Training with PPO",
}


def throughput_charts(id: str, by_kind: dict[str, list[BenchRow]]) -> list[Chart]:
    """Make a chart for each kind of work, all with the same scales and colours."""
    rows = [row for kind in by_kind.values() for row in kind]
    colours = Colours((row.implementation, row.role) for row in rows)
    batches = sorted({row.batch for row in rows})
    speeds = [speed for row in rows for speed in row.spread]
    decades = (
        [math.floor(math.log10(min(speeds))), math.ceil(math.log10(max(speeds)))] if rows else []
    )
    charts = []
    for kind, mine in by_kind.items():
        names = dict.fromkeys(row.implementation for row in mine)
        lines = [_series(name, colours[name], mine) for name in names]
        figure = _figure(lines, batches)
        low, high = decades
        figure.update_yaxes(range=[low - 0.05, high + 0.05])
        legend = tuple((line.name, line.colour) for line in lines)
        title = TITLES.get(kind, kind)
        charts.append(Chart(f"{id}-{kind}", title, _alt(kind, lines), figure, HEIGHT, legend))
    return charts


def _figure(lines: Sequence[Series], batches: Sequence[int]) -> go.Figure:
    """Make log-log lines with the spread of the repeats; a single point becomes a level."""
    figure = blank(HEIGHT, "environments in a batch", "steps per second")
    for line in lines:
        if len(line.x) == 1:
            _add_level(figure, line, batches)
        else:
            add_band_line(figure, line)
            figure.data[-1].update(mode="lines+markers", marker={"size": 7, "color": line.line})
    low, high = math.log10(batches[0]), math.log10(batches[-1])
    air = 0.03 * max(high - low, 1)
    figure.update_xaxes(
        type="log",
        tickvals=batches,
        ticktext=[f"{batch:,}" for batch in batches],
        range=[low - air, high + air],
    )
    figure.update_yaxes(type="log", dtick=1, tickformat="~s")
    return figure


def _series(name: str, colour: str, rows: Sequence[BenchRow]) -> Series:
    mine = sorted((r for r in rows if r.implementation == name), key=lambda r: r.batch)
    return Series(
        name,
        colour,
        x=[r.batch for r in mine],
        y=[r.sps_mean for r in mine],
        low=[r.spread[0] for r in mine],
        high=[r.spread[1] for r in mine],
        said=[
            f"{name}, batch {r.batch:,}<br>{words.steps(r.sps_mean)} steps/s "
            f"({words.steps(r.spread[0])} to {words.steps(r.spread[1])})"
            + (f"<br>{words.times(r.ratio)} the reference" if r.ratio else "")
            for r in mine
        ],
    )


def _add_level(figure: go.Figure, line: Series, batches: Sequence[int]) -> None:
    """Draw one measurement across the chart, to compare others with it."""
    figure.add_scatter(
        x=[batches[0], batches[-1]],
        y=[line.y[0]] * 2,
        mode="lines",
        line={"color": line.line, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=list(line.x),
        y=list(line.y),
        mode="markers",
        name=line.name,
        marker={"size": 8, "color": line.line, "symbol": "diamond"},
        text=list(line.said),
        hovertemplate="%{text}<extra></extra>",
    )


def _alt(kind: str, lines: Sequence[Series]) -> str:
    best = (
        f"{line.name} reaches {words.steps(max(line.y))} steps per second"
        + ("" if line.colour == REFERENCE and len(line.x) == 1 else f" at batch {_best(line):,}")
        for line in lines
    )
    return f"Throughput, {TITLES.get(kind, kind).lower()}: {'; '.join(best)}."


def _best(line: Series) -> int:
    return int(max(zip(line.y, line.x, strict=True))[1])
