"""Chart learning curves: return against steps, and against seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import scipy

from envwright.report import words
from envwright.report.charts.figure import Chart, Colours, Series, add_band_line, blank
from envwright.report.results import Found
from envwright.schema.results import Training

HEIGHT = 300
FEW = 5  # seeds; with fewer, an interval of the mean means nothing


def training_chart(
    id: str, found: Sequence[Found[Training]], against: Literal["steps", "seconds"]
) -> Chart:
    """Make a chart of the seeds' mean return with its 95 % interval."""
    by_steps = against == "steps"
    runs = [each.record for each in found]
    names = _names(found)
    colours = Colours((name, role_of(run)) for name, run in zip(names, runs, strict=True))
    lines = [
        _series(name, run, colours[name], by_steps) for name, run in zip(names, runs, strict=True)
    ]
    lines = [line for line in lines if line.y]
    figure = blank(HEIGHT, "environment steps" if by_steps else "seconds on the clock", "return")
    for line in lines:
        add_band_line(figure, line)
    figure.update_xaxes(rangemode="tozero", nticks=6)
    if by_steps:
        figure.update_xaxes(tickformat="~s")
    title = "Return against steps" if by_steps else "Return against the clock"
    legend = tuple((line.name, line.colour) for line in lines)
    return Chart(id, title, _alt(lines, by_steps), figure, HEIGHT, legend)


def role_of(run: Training) -> str:
    """Return whether a simulator is ours or the reference."""
    return "ours" if run.simulator.startswith("envwright") else "reference"


def _names(found: Sequence[Found[Training]]) -> list[str]:
    """Return the simulators, with the file's name if one was trained in several times."""
    simulators = [each.record.simulator for each in found]
    return [
        f"{s}, {each.path.stem}" if simulators.count(s) > 1 else s
        for s, each in zip(simulators, found, strict=True)
    ]


def _series(name: str, run: Training, colour: str, by_steps: bool) -> Series:
    xs, means, lows, highs, said = [], [], [], [], []
    for point, step in enumerate(run.steps):
        values = [seed[point] for seed in run.returns]
        seen = [value for value in values if value is not None and math.isfinite(value)]
        if not seen:
            continue
        mean = float(np.mean(seen))
        low, high = band(seen)
        xs.append(float(step) if by_steps else run.seconds[point])
        means.append(mean)
        lows.append(low)
        highs.append(high)
        said.append(
            f"{name}<br>{mean:,.4g} ({low:,.4g} to {high:,.4g}) after {words.steps(step)} steps, "
            f"{words.seconds(run.seconds[point])}"
        )
    return Series(name, colour, xs, means, lows, highs, said)


def band(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the mean; for few values the lowest and the highest."""
    if len(values) < FEW:
        return min(values), max(values)
    error = float(np.std(values, ddof=1)) / np.sqrt(len(values))
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, len(values) - 1) * error)
    return float(np.mean(values)) - reach, float(np.mean(values)) + reach


def _alt(lines: Sequence[Series], by_steps: bool) -> str:
    unit = "steps" if by_steps else "seconds"
    ends = (
        f"{line.name} ends at {line.y[-1]:,.4g} after {words.steps(line.x[-1])} {unit}"
        for line in lines
    )
    return f"Learning curves: {'; '.join(ends)}."
