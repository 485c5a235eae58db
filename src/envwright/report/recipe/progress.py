"""Chart the tests that pass against turns, tokens, dollars and time: the paper's figure 8."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from envwright.report.charts.figure import Chart, blank
from envwright.report.recipe import amounts
from envwright.report.recipe.standing import Point, Standing
from envwright.report.verdicts import NAMES
from envwright.translate.verdict import Verdict

HEIGHT = 260
COLOURS = {1: "ours", 2: "ours-2", 3: "ours-3", 4: "peer-1"}
MARKS = {  # by judgement: marker, and text in the legend
    "equal": ({"symbol": "circle", "size": 6, "color": "var(--ink)"}, ""),
    "unsure": ({"symbol": "diamond", "size": 9, "color": "var(--unsure)"}, "nothing could be said"),
    "different": ({"symbol": "x", "size": 9, "color": "var(--different)"}, "a level failed"),
}


@dataclass(frozen=True)
class Axis:
    """An axis for progress."""

    id: str
    title: str
    unit: str
    at: Callable[[Point], float]
    said: Callable[[float], str]


AXES = (
    Axis("turns", "Tests passing against turns", "turns", lambda p: p.turns, lambda x: f"{x:,.0f}"),
    Axis(
        "seconds",
        "… against time",
        "minutes of agent and judge",
        lambda p: p.seconds / 60,
        lambda x: amounts.duration(60 * x),
    ),
    Axis("tokens", "… against tokens", "tokens", lambda p: p.usage.tokens, amounts.tokens),
    Axis("dollars", "… against dollars", "dollars", lambda p: p.usage.dollars, amounts.dollars),
)


@dataclass(frozen=True)
class Progress:
    """The charts, and the names of the axes that were never counted."""

    charts: list[Chart]
    uncounted: list[str]


def progress(found: Standing) -> Progress:
    """Make a chart for every axis that was counted."""
    if not found.points:
        return Progress([], [])
    counted = [axis for axis in AXES if any(axis.at(point) for point in found.points)]
    charts = [_chart(axis, found) for axis in counted]
    return Progress(charts, [axis.id for axis in AXES if axis not in counted])


def _chart(axis: Axis, found: Standing) -> Chart:
    levels = found.highest
    figure = blank(HEIGHT, axis.unit, "tests")
    last = max(axis.at(p) for p in found.points)
    end = 1.05 * last  # a little further, so that the end can be seen
    xs = [0.0, *(axis.at(p) for p in found.points), end]
    below = [0] * len(xs)
    for level in levels:
        counts = [0, *(p.green.get(level, 0) for p in found.points)]
        tops = [b + c for b, c in zip(below, [*counts, counts[-1]], strict=True)]
        _add_level(figure, COLOURS.get(level, "peer-2"), xs, below, tops)
        below = tops
    _add_marks(figure, axis, found.points)
    figure.add_hline(y=found.known, line={"color": "var(--soft)", "width": 1, "dash": "dot"})
    figure.update_yaxes(range=[0, 1.08 * found.known], nticks=6)
    figure.update_xaxes(range=[0, end], nticks=7)
    if axis.id == "tokens":
        figure.update_xaxes(tickformat="~s")
    if axis.id == "turns":
        figure.update_xaxes(tickformat="d", dtick=1 if last <= 12 else None)
    legend = tuple((f"L{n} {NAMES.get(n, '')}".strip(), COLOURS.get(n, "peer-2")) for n in levels)
    seen = {p.tone for p in found.points}
    legend += tuple((said, tone) for tone, (_, said) in MARKS.items() if said and tone in seen)
    return Chart(f"progress-{axis.id}", axis.title, _alt(axis, found), figure, HEIGHT, legend)


def _add_level(
    figure: go.Figure, colour: str, xs: list[float], below: list[int], tops: list[int]
) -> None:
    """Stack a band on the lower levels; a green test stays green until the next judgement."""
    figure.add_scatter(
        x=[*_stairs_x(xs), *reversed(_stairs_x(xs))],
        y=[*_stairs_y(tops), *reversed(_stairs_y(below))],
        fill="toself",
        fillcolor=f"var(--{colour}-band)",
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
    )
    xline, yline = [], []
    for i in range(1, len(xs)):
        # No line where the level adds nothing: it would hide that of the level below.
        if tops[i] == below[i]:
            continue
        xline += [xs[i], xs[i], xs[i + 1] if i + 1 < len(xs) else xs[i], None]
        yline += [max(tops[i - 1], below[i]), tops[i], tops[i], None]
    figure.add_scatter(
        x=xline,
        y=yline,
        mode="lines",
        line={"color": f"var(--{colour})", "width": 2},
        hoverinfo="skip",
    )


def _stairs_x(xs: list[float]) -> list[float]:
    return [x for pair in itertools.pairwise(xs) for x in pair]


def _stairs_y(ys: list[int]) -> list[int]:
    return [y for y in ys[:-1] for _ in range(2)]


def _add_marks(figure: go.Figure, axis: Axis, points: Sequence[Point]) -> None:
    """Draw a dot for every judgement, and a cross where a level failed."""
    for tone, (look, _) in MARKS.items():
        mine = [p for p in points if p.tone == tone]
        if not mine:
            continue
        figure.add_scatter(
            x=[axis.at(p) for p in mine],
            y=[p.total for p in mine],
            mode="markers",
            marker=look,
            cliponaxis=False,
            text=[_hover(axis, p) for p in mine],
            hovertemplate="%{text}<extra></extra>",
        )


def _hover(axis: Axis, point: Point) -> str:
    lines = [f"{point.label}, {axis.said(axis.at(point))}{_unit(axis)}"]
    lines.append(f"{amounts.plural(point.total, 'test')} green")
    if point.failing is not None:
        lines += _why(point.failing)
    # Plotly interprets some markup, which a judge's quotation must not trigger.
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def _why(verdict: Verdict) -> list[str]:
    if not verdict.failures:
        return [f"level {verdict.level} is inconclusive"]
    first, count = verdict.failures[0], len(verdict.failures)
    return [
        f"level {verdict.level}: {count} of {verdict.total} fail",
        f"{first.test}: {first.summary}"[:90],
    ]


def _unit(axis: Axis) -> str:
    return f" {axis.id}" if axis.id in ("turns", "tokens") else ""


def _alt(axis: Axis, found: Standing) -> str:
    last = found.points[-1]
    failed = sum(p.tone == "different" for p in found.points)
    spent = f"{axis.said(axis.at(last))}{_unit(axis)}"
    return (
        f"Tests passing against {axis.id}: {last.total} of {found.known} green after {spent}; "
        f"a level failed at {amounts.plural(failed, 'judgement')} of {len(found.points)}."
    )
