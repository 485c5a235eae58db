"""The common frame of all charts, with colours that the page resolves.

Colours are CSS variables such as `var(--ours)`; `page.js` puts in their values when it
draws, so that a chart follows the theme of the page. Legends are plain HTML, shared by the
charts that stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

_FOREIGN_TAG = re.compile("<(?!br>|/?extra>|/?b>)")
INK, SOFT, GRID, PAPER = "var(--ink)", "var(--soft)", "var(--grid)", "var(--card)"
REFERENCE = "reference"
PEERS = ("peer-1", "peer-2", "peer-3", "peer-4")


@dataclass(frozen=True)
class Chart:
    """A figure with its name, a description for screen readers, and its height."""

    id: str
    title: str
    alt: str
    figure: go.Figure
    height: int
    legend: tuple[tuple[str, str], ...] = ()  # text and the colour's name

    def to_json(self) -> str:
        """Figure data for the page, safe inside a script element."""
        text = self.figure.to_json()
        assert text is not None
        for letter in "<>/":  # plotly may have written them so
            text = text.replace(f"\\u{ord(letter):04x}", letter)
        # Plotly draws some tags and links; of names, none.
        return _FOREIGN_TAG.sub("&lt;", text).replace("<", "\\u003c")


@dataclass(frozen=True)
class Series:
    """A line: points, their spread, and the colour's name."""

    name: str
    colour: str  # "ours", "reference", "peer-1", …
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    said: Sequence[str] = ()  # the text of a tooltip

    @property
    def line(self) -> str:
        return f"var(--{self.colour})"

    @property
    def band(self) -> str:
        return f"var(--{self.colour}-band)"


class Colours:
    """A colour for each implementation: ours, the reference's, and the peers' in turn."""

    def __init__(self, roles: Iterable[tuple[str, str]]) -> None:
        self._colours: dict[str, str] = {}
        ours, peers = iter(("ours", "ours-2", "ours-3")), iter(PEERS)
        for name, role in dict.fromkeys(roles):
            if name in self._colours:
                continue
            if role == REFERENCE:
                self._colours[name] = REFERENCE
            else:
                self._colours[name] = next(ours if role == "ours" else peers, PEERS[-1])

    def __getitem__(self, name: str) -> str:
        return self._colours.get(name, PEERS[-1])


def blank(height: int, x_title: str, y_title: str, **layout: Any) -> go.Figure:
    """Make an empty figure in the page's style: few lines, titles at the ends of axes."""
    axis = {
        "gridcolor": GRID,
        "zeroline": False,
        "linecolor": SOFT,
        "tickcolor": SOFT,
        "tickfont": {"color": SOFT, "size": 11},
        "title": {"font": {"color": SOFT, "size": 12}, "standoff": 8},
        "automargin": True,
        "fixedrange": True,
    }
    figure = go.Figure()
    figure.update_layout(
        template=None,
        height=height,
        autosize=True,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 12, "color": INK},
        margin={"l": 8, "r": 16, "t": 12, "b": 8},
        hoverlabel={"bgcolor": PAPER, "bordercolor": SOFT, "font": {"color": INK, "size": 12}},
        showlegend=False,
        xaxis={**axis, "showgrid": False, "ticks": "outside", "ticklen": 4, "showline": True},
        yaxis={**axis, "ticks": "", "showline": False},
    )
    figure.update_layout(**layout)
    figure.update_xaxes(title_text=x_title)
    figure.update_yaxes(title_text=y_title)
    return figure


def add_band_line(figure: go.Figure, series: Series, **scatter: Any) -> None:
    """Add a line with its band behind it."""
    figure.add_scatter(
        x=[*series.x, *reversed(series.x)],
        y=[*series.high, *reversed(series.low)],
        fill="toself",
        fillcolor=series.band,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=list(series.x),
        y=list(series.y),
        mode="lines",
        name=series.name,
        line={"color": series.line, "width": 2},
        text=list(series.said) or None,
        hovertemplate="%{text}<extra></extra>" if series.said else None,
        **scatter,
    )
