"""What is drawn and counted of a run; optimisation and ablation, also among all results."""

from __future__ import annotations

import pytest
from tests.report import recipe_samples as recipe
from tests.report import samples
from tests.report.reading import page_of, read_page, rows
from tests.report.recipe_samples import OWN, SRC, Story, level, whole_run

from envwright.report.page import build_page
from envwright.report.recipe import amounts
from envwright.report.recipe.history import read_history
from envwright.report.recipe.progress import progress
from envwright.report.recipe.rounds import rounds_answer
from envwright.report.recipe.standing import standing
from envwright.report.results import read_results
from envwright.schema.results import parse_result
from envwright.translate.verdict import Verdict


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    return whole_run(tmp_path_factory.mktemp("whole") / "lamp")


@pytest.fixture(scope="module")
def page(story):
    return page_of(story)


# --- progress -------------------------------------------------------------------------------------


def test_a_test_counts_only_for_the_code_that_passed_it(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.ask("translate heat").answer(files={f"{SRC}/heat.py": "1"}).judge(1, 0, level(1, 3))
    story.judge(2, 2, level(2, 2)).judge(3, 2, level(3, 0, 1))
    story.ask("repair level 3").answer(files={f"{SRC}/heat.py": "2"}).judge(3, 2, level(1, 2, 1))
    found = standing(read_history(story.journal.events))
    assert [point.total for point in found.points] == [3, 5, 5, 2]
    assert (found.known, found.green) == (6, 2)
    assert [s.said for s in found.levels.values()] == [
        "1 failed",
        "of earlier code",
        "of earlier code",
    ]


def test_own_tests_alone_do_not_undo_what_was_green(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.ask("translate heat").answer(files={f"{SRC}/heat.py": "1"}).judge(1, 0, level(1, 3))
    story.ask("write tests between modules").answer(files={f"{OWN}/test_x.py": "1"})
    found = standing(read_history(story.judge(2, 2, level(2, 2)).journal.events))
    assert [point.total for point in found.points] == [3, 5]


def test_progress_is_drawn_against_all_that_was_counted(story):
    drawn = progress(standing(read_history(story.journal.events)))
    assert [chart.id.removeprefix("progress-") for chart in drawn.charts] == [
        "turns",
        "seconds",
        "tokens",
        "dollars",
    ]
    crosses = drawn.charts[0].figure.data[-1]
    assert crosses.marker.symbol == "x"
    assert list(crosses.x) == [1, 5] and list(crosses.y) == [1, 7]
    assert "level 3: 1 of 2 fail" in crosses.text[1]
    assert "9 of 9 green after 6 turns" in drawn.charts[0].alt


def test_what_could_not_be_decided_is_no_failure(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.ask("translate heat").answer(files={f"{SRC}/heat.py": "1"}).judge(1, 0, level(1, 3))
    table = "trained in   n\nlamp         3"
    story.judge(4, 2, Verdict(4, undecided=table)).end("inconclusive", table)
    page = page_of(story)
    assert "could not be decided, after 1 turn" in page.all("p", "answer")[0].text
    assert "? L4 inconclusive" in page.id("turn-1").text
    assert "trained in n" in page.id("turn-1").all("details", "undecided")[0].text
    assert "unsure" in page.id("turn-1").classes
    drawn = progress(standing(read_history(story.journal.events))).charts[0]
    assert dict(drawn.legend)["nothing could be said"] == "unsure"
    assert "a level failed at 0 judgements of 2" in drawn.alt


def test_what_was_not_counted_is_told_and_not_drawn(tmp_path):
    page = page_of(whole_run(tmp_path / "lamp", kind="command", costs="none are counted"))
    assert [plot.attributes["id"] for plot in page.id("progress").all("div", "plot")] == [
        "progress-turns",
        "progress-seconds",
    ]
    told = page.id("uncounted").text
    assert told.startswith("Tokens and dollars are not known") and "none are counted" in told


def test_amounts_read_well():
    told = [amounts.duration(s) for s in (3.24, 35.2, 296, 7500)]
    assert [t.replace("\u202f", " ") for t in told] == ["3.2 s", "35 s", "4 min 56 s", "2 h 5 min"]
    assert [amounts.dollars(d) for d in (0, 0.0123, 0.25)] == ["not known", "$0.0123", "$0.25"]


# --- optimisation and ablation --------------------------------------------------------------------


def test_rounds_say_what_each_change_brought(page):
    speed = page.id("speed")
    assert "1.310× as fast as the verified code: 1 of 3 changes was kept" in speed.text
    first, second, third = [row for row in speed.all("tr") if row.all("span", "tag")]
    assert (
        "1.310×" in first.text and "1.290×" in first.text and "Fewer multiplications" in first.text
    )
    assert "+1 −1" in first.text and "8,192" in first.text
    assert "not kept" in second.text and "level 1 fails" in second.text
    assert "it is not faster beyond the noise" in third.text and "1.004×" in third.text
    assert [plot.attributes["id"] for plot in speed.all("div", "plot")] == [
        "rounds-gains",
        "rounds-speeds",
    ]


def test_what_was_not_checked_is_said_of_the_round_and_of_the_whole(tmp_path):
    told = recipe.optimisation()
    path = tmp_path / "b.json"
    assert "could be checked" not in rounds_answer(parse_result(path, told))
    told["rounds"][0]["race"]["unchecked"] = "the reference cannot load a state"
    answer = rounds_answer(parse_result(path, told))
    assert answer.endswith("In the timed runs of round 1 not everything could be checked.")
    samples.put(path, told)
    page = build_page(read_results(tmp_path), tmp_path / "report.html")
    assert "not checked while it was timed: the reference cannot load a state" in page


def test_ablation_and_optimisation_are_on_the_page_of_all_results(tmp_path):
    samples.put(tmp_path / "a.json", recipe.ablation())
    samples.put(tmp_path / "b.json", recipe.optimisation())
    samples.put(tmp_path / "c.json", recipe.ablation("lamp"))
    results = read_results(tmp_path)
    assert results.problems == []
    text = build_page(results, tmp_path / "report.html")
    assert "<script>alert" not in text
    page = read_page(text)
    section = page.id("cartpole-recipe")
    assert "3 of 3 with full hierarchy and 1 of 3 with level 3 only" in section.text
    assert "5.52 … 10.5" in section.text and "29.2 % … 100 %" in section.text
    assert "1.500× as fast" in section.text
    assert len(section.all("div", "plot")) == 2
    (lamp,) = [env for env in page.all("section", "env") if env.all("h2")[0].text == "lamp"]
    assert len(rows(lamp.all("table")[1])) == 7
    assert "Verification" not in lamp.text


@pytest.mark.parametrize("kind", ["ablation", "optimisation"])
def test_half_a_result_of_the_recipe_is_told(tmp_path, kind):
    samples.put(tmp_path / "a.json", recipe.ablation())
    samples.put(tmp_path / "b.json", {"kind": kind, "env": "cartpole"})
    (problem,) = read_results(tmp_path).problems
    assert f"is not a {kind} result: object missing required field" in problem.reason


def test_what_a_new_version_changed_is_shown_as_text(tmp_path):
    samples.put(tmp_path / "update.json", recipe.update())
    page = build_page(read_results(tmp_path), tmp_path / "page.html")
    assert "kit 1.0 to 2.0" in page and "seed 7, step 2" in page
    assert "<script>alert(1)" not in page
