"""The files that every page is made of: templates, styles and scripts."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import jinja2

from envwright.core.text import legible
from envwright.report import verdicts, words
from envwright.report.charts.training import FEW, role_of
from envwright.report.divergences import Viewer
from envwright.report.recipe import ablation, amounts, rounds
from envwright.report.sections import Made


def templates() -> jinja2.Environment:
    """Load the templates of all pages, with their filters and globals."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("envwright.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    names: dict[str, Any] = environment.globals
    names.update(verdict_names=verdicts.NAMES, role_of=role_of, few_seeds=FEW)
    filters: dict[str, Any] = environment.filters
    filters.update(
        tone=verdicts.tone,
        mark=verdicts.mark,
        steps=words.steps,
        digits=words.digits,
        known=words.known,
        whole=words.whole,
        signed=words.signed,
        times=words.times,
        count=words.count,
        percent=words.percent,
        probability=words.probability,
        seconds=words.seconds,
        memory=words.memory,
        day=words.day,
        listed=words.listed,
        duration=amounts.duration,
        tokens=amounts.tokens,
        dollars=amounts.dollars,
        means=ablation.means,
        ablation_answer=ablation.ablation_answer,
        gain=rounds.times,
        rounds_answer=rounds.rounds_answer,
        rounds_cost=rounds.rounds_cost,
        by_machine=_by_machine,
        viewer_json=_viewer_json,
    )
    return environment


def _shown(value: Any) -> Any:
    """Escape a value of a template; marks that change the direction of text have no effect."""
    return legible(value) if type(value) is str else value


def _by_machine(made: Sequence[Made]) -> list[tuple[Made, list[str]]]:
    """Group results by machine and day; return one of each group, and all commands."""
    groups: dict[tuple[str, ...], tuple[Made, list[str]]] = {}
    for one in made:
        machine = {
            k: v for k, v in one.source.record.machine.items() if k not in ("date", "load_average")
        }
        key = (repr(machine), one.source.record.date[:10], str(one.source.standing))
        groups.setdefault(key, (one, []))[1].append(one.command)
    return list(groups.values())


def asset(name: str) -> str:
    """Return a style sheet or script to embed in the page."""
    return (importlib.resources.files("envwright.report") / "templates" / name).read_text("utf-8")


def plotly() -> str:
    """Return the script that draws the charts."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def _viewer_json(viewer: Viewer) -> str:
    """Return frames as data that is safe inside a script element."""
    data: dict[str, Any] = {
        "images": viewer.images,
        "frames": [{**asdict(frame), "differs": frame.differs} for frame in viewer.frames],
        "parting": viewer.parting,
    }
    return json.dumps(data, allow_nan=False).replace("<", "\\u003c")
