"""Chart level 4: differences against the margin, and policies one by one."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from envwright.report import words
from envwright.report.charts.figure import GRID, INK, SOFT, Chart, Colours, blank
from envwright.report.verdicts import tone
from envwright.schema.results import Direction, PolicyReturns, Transfer

PAIRS_HEIGHT = 380


def forest_chart(id: str, transfer: Transfer) -> Chart:
    """Make a chart of each direction's difference with its interval; the margin is shaded."""
    rows = [row for row in transfer.directions if row.difference is not None]
    height = 100 + 60 * len(rows)
    figure = blank(height, "return: twin − reference", "")
    figure.add_vline(x=0, line={"color": SOFT, "width": 1, "dash": "dot"})
    for place, row in enumerate(rows):
        _add_interval(figure, row, place)
    ends = [abs(v) for row in rows for v in (row.low, row.high, row.difference) if v is not None]
    reach = 1.25 * max(transfer.margin or 0.0, *ends, 1e-9)
    figure.update_xaxes(range=[-reach, reach])
    figure.update_yaxes(range=[len(rows) - 0.5, -0.6], showgrid=False, showticklabels=False)
    if transfer.margin:
        _add_margin(figure, transfer.margin)
    figure.update_layout(margin={"t": 28, "l": 8, "r": 16, "b": 8})
    title = "Difference in return, against the margin"
    return Chart(id, title, _forest_alt(rows, transfer.margin), figure, height)


def _add_margin(figure: go.Figure, margin: float) -> None:
    """Shade the differences that do not matter."""
    figure.add_vrect(
        x0=-margin, x1=margin, fillcolor="var(--equal-band)", line={"width": 0}, layer="below"
    )
    for side, sign in ((-1, "−"), (1, "+")):
        figure.add_annotation(
            x=side * margin,
            y=1,
            yref="paper",
            yanchor="bottom",
            text=f"{sign}{words.digits(margin)}",
            showarrow=False,
            font={"color": "var(--equal)", "size": 11},
        )


def _add_interval(figure: go.Figure, row: Direction, place: int) -> None:
    assert row.difference is not None
    low = row.difference if row.low is None else row.low
    high = row.difference if row.high is None else row.high
    colour = f"var(--{tone(row.verdict)})"
    figure.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        xshift=6,
        y=place - 0.28,
        text=f"trained in {row.trained_in}",
        showarrow=False,
        font={"color": INK, "size": 12},
    )
    figure.add_scatter(
        x=[row.difference],
        y=[place + 0.1],
        mode="markers",
        marker={"size": 10, "color": colour, "symbol": "square"},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - row.difference],
            "arrayminus": [row.difference - low],
            "color": colour,
            "thickness": 2,
            "width": 5,
        },
        text=[
            f"trained in {row.trained_in}<br>{row.difference:+.3g} ({low:+.3g} to {high:+.3g})"
            f"<br>{row.verdict}, n = {row.n}, p {words.probability(row.p)}"
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _forest_alt(rows: Sequence[Direction], margin: float | None) -> str:
    said = (
        f"trained in {row.trained_in}: {row.difference:+.3g} "
        f"(interval {words.known(row.low)} to {words.known(row.high)}), {row.verdict}"
        for row in rows
    )
    return f"Differences in return; the margin is ±{words.known(margin)}. {'; '.join(said)}."


def pairs_chart(id: str, policies: Sequence[PolicyReturns], reference: str, twin: str) -> Chart:
    """Make a chart of every policy's return on both sides; equal ones lie on the diagonal."""
    figure = blank(PAIRS_HEIGHT, f"return in {reference}", f"return in {twin}")
    values = [v for p in policies for v in (p.return_reference, p.return_twin)]
    low, high = min(values), max(values)
    air = 0.05 * (high - low) or 1.0
    ends = [low - air, high + air]
    figure.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        line={"color": SOFT, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    colours = Colours((p.trained_in, _role(p)) for p in policies)
    names = dict.fromkeys(p.trained_in for p in policies)
    for name in names:
        mine = [p for p in policies if p.trained_in == name]
        colour = f"var(--{colours[name]})"
        figure.add_scatter(
            x=[p.return_reference for p in mine],
            y=[p.return_twin for p in mine],
            mode="markers",
            name=f"trained in {name}",
            marker={
                "color": f"var(--{colours[name]}-band)",
                "size": 9,
                "line": {"color": colour, "width": 1.5},
            },
            text=[
                f"seed {p.seed}, after {words.steps(p.steps)} steps<br>"
                f"reference {p.return_reference:.4g}, twin {p.return_twin:.4g}"
                for p in mine
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    figure.update_xaxes(range=ends, showgrid=True, gridcolor=GRID, nticks=7)
    figure.update_yaxes(range=ends, nticks=7)
    alt = (
        f"Returns of {len(policies)} policies in both simulators, from {low:.4g} to {high:.4g}; "
        f"the largest difference is "
        f"{max(abs(p.return_reference - p.return_twin) for p in policies):.3g}."
    )
    legend = tuple((f"trained in {name}", colours[name]) for name in names)
    return Chart(id, "Every policy in both", alt, figure, PAIRS_HEIGHT, legend)


def _role(policy: PolicyReturns) -> str:
    return "ours" if policy.trained_in.startswith("envwright") else "reference"
