"""The figures of docs/updates.md are those of the stored results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envwright.schema.results import Update, read_results

PAGE = Path(__file__).parents[3] / "docs" / "updates.md"
ROWS = re.findall(r"^\| .*\(\.\./benchmarks/.*$", PAGE.read_text(), re.MULTILINE)


def stored(text):
    (name,) = re.findall(r"\.\./(benchmarks/[^)]+)\)", text)
    (result,) = read_results(PAGE.parents[1] / name)
    assert isinstance(result, Update)
    return result


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_a_row_says_what_its_file_holds(row):
    _, same, text, steps, episodes, differ, _ = (cell.strip() for cell in row.split("|")[1:-1])
    result = stored(row)
    parts = {part.name: part for part in result.parts}
    shown = {"same": same, "text": text}
    for verdict, names in shown.items():
        held = [module.name for module in result.modules if module.verdict == verdict]
        assert names == ", ".join(held)
    assert (steps, episodes) == (
        str(parts["single steps"].compared),
        str(parts["episodes"].compared),
    )
    assert differ == str(parts["single steps"].differ + parts["episodes"].differ)
    assert (result.old, result.new) == ("1.2.3", "1.3.0")


def test_nine_environments_are_in_the_table():
    assert len(ROWS) == 9


def test_the_text_about_pyboy_says_what_its_file_holds():
    parts = stored("(../benchmarks/gameboy-update.json)").parts
    (different,) = [part for part in parts if part.differ]
    assert (len(parts), different.name) == (15, "tobutobugirl.gb")
    told = f"differs in {different.differ} of {different.compared:,} frames"
    assert told in " ".join(PAGE.read_text().split()) and "14 games are equal" in PAGE.read_text()


def test_the_table_about_showdown_says_what_its_file_holds():
    parts = {p.name: p for p in stored("(../benchmarks/pokemon-update.json)").parts}
    for name in ("species", "abilities", "moves", "generated teams", "battles"):
        row = f"| {name} | {parts[name].compared:,} | {parts[name].differ} |"
        assert row in PAGE.read_text()
    others = [parts[name].compared for name in ("items", "natures", "types", "conditions")]
    assert f"| items, natures, types, conditions | {sum(others)} | 0 |" in PAGE.read_text()


def test_the_text_about_rain_says_what_its_file_holds():
    result = stored("(../benchmarks/gymnasium-1.3.0-rainy-taxi.json)")
    parts, told = {part.name: part for part in result.parts}, " ".join(PAGE.read_text().split())
    steps, episodes = parts["single steps"], parts["episodes"]
    assert f"{steps.differ} of {steps.compared} single steps" in told
    assert f"{episodes.differ} of {episodes.compared} episodes" in told
    assert (result.outcome, result.versions) == ("verified", [1, 2])
    rows = [f"| {m.name} | {m.verdict} | " for m in result.modules]
    assert all(row in told for row in rows) and result.to_translate == ["env"]
