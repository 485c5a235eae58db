"""Build the page: one HTML file with everything in it."""

from __future__ import annotations

import importlib.metadata
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from envwright.core.progress import Progress, quiet
from envwright.report import glance, verdicts, words
from envwright.report.divergences import Replays
from envwright.report.files import asset, plotly, templates
from envwright.report.results import Results
from envwright.report.sections import Section, make_section


def build_page(results: Results, output: Path, trust: bool = False, told: Progress = quiet) -> str:
    """Build the whole page as text; divergences are replayed and drawn on the way."""
    sections: list[Section] = []
    replays = Replays(trust)
    for done, env in enumerate(results.environments):
        told("environments", done, len(results.environments))
        # An id of the zoo is a word; any other may be that of a part of the page.
        anchor = env.id if env.spec else f"other-{done}"
        section = make_section(env, anchor, results.folder, results.problems, replays, told)
        sections.append(section)
    told("environments", len(sections), len(sections))
    charts = [chart for section in sections for chart in section.charts]
    ratios = [s.ratio for x in sections if x.headline for s in x.headline.speedups]
    return templates().get_template("page.html.j2").render(
        sections=sections,
        answer=answer(sections),
        others=[(s.anchor, c) for s in sections for c in s.comparisons if not c.ours],
        problems=results.problems,
        results=results,
        scale=glance.Scale.over(ratios),
        charts=charts,
        made_on=words.day(datetime.now(UTC).isoformat(timespec="minutes")),
        version=importlib.metadata.version("envwright"),
        command=shlex.join(
            [
                *("envwright", "report", *([results.only] if results.only else [])),
                *("-o", str(output), "--results", str(results.folder)),
            ]
        ),
        style=asset("style.css"),
        script=asset("page.js"),
        plotly=plotly() if charts else "",
    )  # fmt: skip


def answer(sections: Sequence[Section]) -> str:
    """Summarise the results in a sentence or two."""
    verified = [s for s in sections if s.env.ours]
    equal = [s for s in verified if verdicts.tone(s.verdict) == "equal"]
    where = "on every level that was run"
    if not verified:
        said = "Nothing was verified yet."
    elif len(equal) == len(verified):
        names = words.listed([s.env.title for s in equal])
        whose = "is equal to its" if len(equal) == 1 else "are equal to their"
        said = f"{names} {whose} reference {where}."
    else:
        said = f"{len(equal)} of {len(verified)} environments are equal to their reference {where}."
    parted = list(dict.fromkeys(c.twin for s in sections for c in s.comparisons if c.viewers))
    if parted:
        names = words.listed(parted) if len(parted) <= 3 else f"{len(parted)} simulators"
        said += f" {names} {'differs' if len(parted) == 1 else 'differ'}: see where they part."
    return said
