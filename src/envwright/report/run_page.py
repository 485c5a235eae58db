"""The page of one run of the recipe: turns, judgements, and the code."""

from __future__ import annotations

import importlib.metadata
import math
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from envwright.agents.base import Usage
from envwright.core.files import check_target, read_bytes, write_text
from envwright.errors import EnvwrightError
from envwright.report import words
from envwright.report.charts.figure import Chart
from envwright.report.files import asset, plotly, templates
from envwright.report.recipe import amounts
from envwright.report.recipe.changes import Change, FileHistory, changes_of, histories
from envwright.report.recipe.code import coloured, quoted
from envwright.report.recipe.head import OUTCOMES, Head, moment, shown
from envwright.report.recipe.history import History, read_history, tone_of
from envwright.report.recipe.progress import progress
from envwright.report.recipe.rounds import rounds_charts
from envwright.report.recipe.standing import standing
from envwright.report.recipe.tally import tally
from envwright.report.recipe.texts import Texts
from envwright.schema.results import Optimisation
from envwright.translate.journal import Journal, Store
from envwright.translate.optimise.history import round_of
from envwright.translate.regressions import divergence_of
from envwright.translate.stored_runs import JOURNAL, StoredRun, as_damage, find_run
from envwright.translate.workspace import applied


@dataclass(frozen=True)
class RunPage:
    """A page, with the parts of the run that could not be read."""

    run: str
    turns: int
    text: str
    problems: list[str]


@dataclass(frozen=True)
class Regression:
    """A test made from a divergence."""

    name: str
    label: str  # the change that was judged
    level: int | None  # the level that found it
    text: str


def write_run_page(output: Path, name: str, below: Path = Path(".")) -> RunPage:
    """Make the page of a run at `output`; name the run by id, beginning of an id or folder."""
    check_target(output)
    made = build_run_page(find_run(name, below), output)
    write_text(output, made.text)
    return made


def build_run_page(run: StoredRun, output: Path) -> RunPage:
    """Build the whole page as text."""
    texts = Texts(Store(run.folder / "objects"))
    with as_damage(run.folder):
        history = read_history(run.journal.events)
        head = Head(run, run.position, history, standing(history))
        rounds = _optimisation(run, head.at.files, texts)
        text = _rendered(run, output, head, rounds, texts)
    return RunPage(run.id, head.at.turns, text, texts.problems)


def _rendered(
    run: StoredRun,
    output: Path,
    head: Head,
    rounds: tuple[Optimisation | None, dict[int, list[Change]]],
    texts: Texts,
) -> str:
    history, found = head.history, head.found
    optimisation, changed = rounds
    files = histories(history.edits, texts)
    drawn = progress(found)
    faster = rounds_charts("rounds", optimisation) if optimisation else []
    charts: list[Chart] = [*drawn.charts, *faster]
    return _environment().get_template("run.html.j2").render(
        head=head,
        run=run,
        history=history,
        found=found,
        progress=drawn,
        tally=tally(history, [m.name for m in run.spec.modules], run.levels),
        files=files,
        entry=f"src/{run.spec.target.package}/{run.spec.modules[-1].file}",
        changes=_by_label(files),
        code={f.path: coloured(f.path, texts.get(f.name)) for f in files if f.name},
        prompts={turn.number: texts.get(turn.prompt) for turn in history.turns},
        regressions=_regressions(history, texts),
        optimisation=optimisation,
        changed=changed,
        faster=faster,
        changed_spec=_changed(run),
        problems=texts.problems,
        charts=charts,
        made_on=words.day(datetime.now(UTC).isoformat(timespec="minutes")),
        version=importlib.metadata.version("envwright"),
        place=shown(run.folder),
        command=shlex.join(["envwright", "report", "--run", shown(run.folder), "-o", str(output)]),
        style=asset("style.css") + asset("recipe.css"),
        script=asset("recipe.js") + asset("page.js"),
        plotly=plotly() if charts else "",
    )  # fmt: skip


def _environment() -> Any:
    environment = templates()
    filters: dict[str, Any] = environment.filters
    filters.update(
        plural=amounts.plural,
        moment=moment,
        quoted=quoted,
        tone_of=tone_of,
    )
    names: dict[str, Any] = environment.globals
    names.update(outcomes=OUTCOMES)
    return environment


def _by_label(files: list[FileHistory]) -> dict[str, list[Change]]:
    """Return what each turn changed, by label."""
    found: dict[str, list[Change]] = {}
    for file in files:
        for change in file.changes:
            found.setdefault(change.label, []).append(change)
    return found


def _regressions(history: History, texts: Texts) -> list[Regression]:
    """Return the regressions in the order in which they were made, which is that of names."""
    found: list[Regression] = []
    for entry, judgement in history.judged():
        for name in judgement.regressions:
            text = texts.get(name)
            try:
                _, divergence = divergence_of(text.encode())
                level, text = divergence.level, str(divergence)
            except (ValueError, KeyError, TypeError):
                level = None  # it is shown as it is
            found.append(Regression(f"regression {len(found) + 1:03d}", entry.label, level, text))
    return found


def _optimisation(
    run: StoredRun, files: dict[str, str], texts: Texts
) -> tuple[Optimisation | None, dict[int, list[Change]]]:
    """Return the rounds after the run, if any, and what each of them changed."""
    path = run.folder / "optimise" / JOURNAL
    events = Journal(path).of("round") if path.is_file() else []
    changes: dict[int, list[Change]] = {}
    for event in events:
        number = event["number"]
        changes[number] = changes_of(f"round {number}", dict(files), event["files"], texts)
        files = applied(files, event["files"]) if event["kept"] else files
    if not events:
        return None, changes
    rounds = [round_of(event) for event in events]
    usage = sum((Usage(**event["usage"]) for event in events), Usage()).to_json()
    gain = math.prod(r.gain for r in rounds if r.kept and r.gain)
    found = Optimisation(
        env=run.spec.id, outcome="done", reason="", gain=gain, usage=usage, rounds=rounds
    )
    return found, changes


def _changed(run: StoredRun) -> bool:
    """Return whether the specification has changed since the run last began."""
    kept = run.journal.of("begun", "resumed")[-1]["spec"]
    try:
        then = Store(run.folder / "objects").get(kept)
    except EnvwrightError:
        return False  # unknown
    return then != read_bytes(run.spec.path)
