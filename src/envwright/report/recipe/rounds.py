"""The rounds of optimisation: the gain of each change, and whether it was kept."""

from __future__ import annotations

import math
import statistics

from envwright.report import words
from envwright.report.charts.figure import Chart, Series, add_band_line, blank
from envwright.report.recipe import amounts
from envwright.schema.results import Optimisation, Raced, Round

HEIGHT = 280


def times(gain: float | None) -> str:
    """Format a gain: `1.004×`, since even a hundredth counts here."""
    return "–" if gain is None else f"{gain:.3f}×"


def rounds_cost(found: Optimisation) -> str:
    """Describe the cost of the rounds."""
    used = found.usage
    tokens = amounts.tokens(used.get("prompt", 0) + used.get("output", 0))
    dollars = amounts.dollars(used.get("dollars", 0.0)).lstrip("$")
    return f"Tokens of these rounds: {tokens}; dollars: {dollars}."


def rounds_answer(found: Optimisation) -> str:
    """Summarise the rounds."""
    kept = [r for r in found.rounds if r.kept]
    if not kept:
        return f"Of {len(found.rounds)} changes none was kept: the verified code stays."
    gain = math.prod(r.gain for r in kept if r.gain)
    were = "was" if len(kept) == 1 else "were"
    return (
        f"{times(gain)} as fast as the verified code: {len(kept)} of {len(found.rounds)} "
        f"changes {were} kept, faster beyond the noise and still equal.{_doubt(kept)}"
    )


def _doubt(kept: list[Round]) -> str:
    """Name the kept changes whose timed runs were not fully checked."""
    numbers = [str(r.round) for r in kept if r.unchecked]
    if not numbers:
        return ""
    which = "round" if len(numbers) == 1 else "rounds"
    where = f"{which} {words.listed(numbers)}"
    return f" In the timed runs of {where} not everything could be checked."


# --- charts --------------------------------------------------------------------------------------


def rounds_charts(id: str, found: Optimisation) -> list[Chart]:
    """Make charts of the gain of every round, and of speed over the batch before and after."""
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
            x=[r.round for r in mine],
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
                f"round {r.round}, {'kept' if kept else 'not kept'}<br>"
                f"{times(r.gain)}, above {times(r.low)}"
                for r in mine
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    figure.add_hline(y=1.0, line={"color": "var(--soft)", "width": 1, "dash": "dot"})
    figure.update_xaxes(dtick=1, range=[0.5, max(r.round for r in rounds) + 0.5])
    told = (f"round {r.round} {times(r.gain)}, {'kept' if r.kept else 'not kept'}" for r in rounds)
    legend = (("kept", "equal"), ("not kept", "reference"))
    return Chart(id, "Gain of each change", f"Gains: {'; '.join(told)}.", figure, HEIGHT, legend)


def _speeds(id: str, first: Round, last: Round) -> Chart:
    lines = [
        _line(
            "before", "reference", [(batch, raced.incumbent) for batch, raced in _batches(first)]
        ),
        _line("after", "ours", [(batch, raced.candidate) for batch, raced in _batches(last)]),
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


def _batches(one: Round) -> list[tuple[int, Raced]]:
    return list(one.race.batches.items()) if one.race else []


def _line(name: str, colour: str, samples: list[tuple[int, list[float]]]) -> Series:
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
