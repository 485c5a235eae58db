"""Puts the page together: one HTML file with everything in it."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jinja2

from envwright.report import glance, verdicts, words
from envwright.report.charts.training import FEW, role_of
from envwright.report.divergences import Viewer
from envwright.report.results import Results
from envwright.report.sections import Made, Section, Told, make_section


def quiet(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def build_page(results: Results, output: Path, trust: bool = False, told: Told = quiet) -> str:
    """The whole page as text; divergences are played again and drawn on the way."""
    sections: list[Section] = []
    for done, env in enumerate(results.environments):
        told("environments", done, len(results.environments))
        sections.append(make_section(env, results.folder, results.problems, trust, told))
    told("environments", len(sections), len(sections))
    charts = [chart for section in sections for chart in section.charts]
    ratios = [s.ratio for x in sections if x.headline for s in x.headline.speedups]
    return _templates().get_template("page.html.j2").render(
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
            ["envwright", "report", "-o", str(output), "--results", str(results.folder)]
        ),
        style=_asset("style.css"),
        script=_asset("page.js"),
        plotly=_plotly() if charts else "",
    )  # fmt: skip


def answer(sections: Sequence[Section]) -> str:
    """What the results come to, in a sentence or two."""
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


# --- files of the page ------------------------------------------------------------------------


def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("envwright.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(verdict_names=verdicts.NAMES, role_of=role_of, few_seeds=FEW)
    environment.filters.update(
        tone=verdicts.tone,
        mark=verdicts.mark,
        steps=words.steps,
        digits=words.digits,
        known=words.known,
        signed=words.signed,
        times=words.times,
        count=words.count,
        percent=words.percent,
        probability=words.probability,
        seconds=words.seconds,
        memory=words.memory,
        day=words.day,
        listed=words.listed,
        by_machine=_by_machine,
        viewer_json=_viewer_json,
    )
    return environment


def _by_machine(made: Sequence[Made]) -> list[tuple[Made, list[str]]]:
    """Results of the same machine and day together: one of them, and all commands."""
    groups: dict[tuple[str, ...], tuple[Made, list[str]]] = {}
    for one in made:
        machine = {k: v for k, v in one.source.machine.items() if k not in ("date", "load_average")}
        key = (repr(machine), one.source.date[:10])
        groups.setdefault(key, (one, []))[1].append(one.command)
    return list(groups.values())


def _asset(name: str) -> str:
    return (importlib.resources.files("envwright.report") / "templates" / name).read_text("utf-8")


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def _viewer_json(viewer: Viewer) -> str:
    """Frames as data that may stand inside a script element."""
    data: dict[str, Any] = {
        "images": viewer.images,
        "frames": [{**asdict(frame), "differs": frame.differs} for frame in viewer.frames],
        "parting": viewer.parting,
    }
    return json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
