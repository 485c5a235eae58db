"""Chart where the time of a training iteration goes, over network sizes."""

from __future__ import annotations

from collections.abc import Sequence

from envwright.report import words
from envwright.report.charts.figure import INK, SOFT, Chart, blank
from envwright.schema.results import BreakdownRow
from envwright.schema.results.speed import PARTS


def breakdown_chart(id: str, rows: Sequence[BreakdownRow]) -> Chart:
    """Make stacked shares, a bar for each implementation and network size."""
    sizes = list(dict.fromkeys(row.size for row in rows))
    rows = sorted(rows, key=lambda row: (sizes.index(row.size), row.role == "reference"))
    height = 70 + 32 * len(rows)
    figure = blank(height, "share of an iteration", "", barmode="stack", bargap=0.22)
    labels = [[row.size for row in rows], [row.implementation for row in rows]]
    for part in PARTS:
        figure.add_bar(
            orientation="h",
            name=part,
            y=labels,
            x=[row.share[part] for row in rows],
            marker={"color": f"var(--part-{part})", "line": {"width": 0}},
            text=[_inside(row, part) for row in rows],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": f"var(--on-part-{part})", "size": 11},
            customdata=[words.seconds(row.seconds[part]) for row in rows],
            hovertemplate=f"{part}: %{{customdata}}, %{{x:.1%}}<extra></extra>",
        )
    for place, row in enumerate(rows):
        figure.add_annotation(
            x=1,
            xref="paper",
            xshift=6,
            y=place,
            text=words.seconds(row.iteration_seconds),
            xanchor="left",
            showarrow=False,
            font={"color": SOFT, "size": 11},
        )
    figure.update_xaxes(range=[0, 1], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1])
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickfont={"color": INK, "size": 12},
        showdividers=False,
    )
    figure.update_layout(
        uniformtext={"minsize": 11, "mode": "hide"}, margin={"l": 8, "r": 62, "t": 8, "b": 8}
    )
    legend = tuple((part, f"part-{part}") for part in PARTS)
    return Chart(id, "Time of a training iteration", _alt(rows), figure, height, legend)


def _inside(row: BreakdownRow, part: str) -> str:
    share = row.share[part]
    return f"{share:.0%}" if share >= 0.06 else ""


def _alt(rows: Sequence[BreakdownRow]) -> str:
    said = (
        f"{row.implementation} with {row.size}: environment {row.share['environment']:.0%} of "
        f"{words.seconds(row.iteration_seconds)}"
        for row in rows
    )
    return f"Time of a training iteration. {'; '.join(said)}."
