"""The page of one run: what it tells of turns, levels, costs and code; and the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report import recipe_samples as recipe
from tests.report import samples
from tests.report.reading import page_of, read_page, rows
from tests.report.recipe_samples import EVIL, SRC, Story, level, whole_run

from envwright.cli import main
from envwright.errors import EnvwrightError
from envwright.report.page import build_page
from envwright.report.recipe.code import coloured
from envwright.report.results import read_results
from envwright.report.run_page import build_run_page
from envwright.translate.stored_runs import open_run


def text_of(story):
    return build_run_page(open_run(story.folder), Path("run.html")).text


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    return whole_run(tmp_path_factory.mktemp("whole") / "lamp")


@pytest.fixture(scope="module")
def page(story):
    return page_of(story)


# --- the head -------------------------------------------------------------------------------------


def test_the_head_tells_who_what_and_how_it_ended(page):
    lead = page.all("section", "lead")[0].text
    assert "lamp: from python:lamp:LampEnv to JAX" in lead
    assert "Verified on levels 1, 2 and 3 after 6 turns, 3 of them repairs." in lead
    assert "9 of 9" in lead and "6,000" in lead and "$0.12" in lead and "3 min 36 s" in lead
    agent = page.all("dl", "agent")[0].text
    assert "opencode" in agent and "clever-1" in agent and "dollars from a price list" in agent


def test_a_verified_run_can_be_kept_and_done_again(page):
    commands = [code.text for code in page.all("div", "goto")[0].all("code")]
    assert commands[0].startswith("envwright record ") and commands[0].endswith("lamp-recording")
    assert commands[1] == "envwright translate lamp-recording --agent replay --trust"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("human", "It waits for a person, after 1 turn, none of them a repair: it is stuck."),
        ("budget", "It stopped at a cap"),
        ("agent", "The agent could not go on"),
        ("interrupted", "It was interrupted"),
    ],
)
def test_a_run_that_is_not_verified_says_why_and_how_to_go_on(tmp_path, outcome, said):
    story = Story(tmp_path / "lamp").begin(kind="mailbox", who="Ann Lee", costs="none")
    story.ask("translate heat").answer(files={f"{SRC}/heat.py": recipe.HEAT})
    page = page_of(story.judge(1, 0, level(1, 1, 1)).end(outcome, "it is stuck"))
    assert said in page.all("p", "answer")[0].text
    (command,) = page.all("div", "goto")[0].all("code")
    assert command.text.startswith("envwright translate ")
    assert command.text.endswith("--agent mailbox --who 'Ann Lee' --resume")


def test_only_the_last_run_is_said_to_be_resumable(tmp_path):
    older = Story(tmp_path / "lamp", "20250101-000000-0000").begin().end("budget", "spent")
    Story(tmp_path / "lamp").begin()
    page = page_of(older)
    assert page.all("div", "goto") == [] and "A later run" in page.id("top").text


def test_a_run_that_has_not_ended_shows_the_turn_that_is_open(tmp_path):
    page = page_of(Story(tmp_path / "lamp").begin().ask("translate heat", "Please."))
    assert "It has not ended" in page.all("p", "answer")[0].text
    assert "not answered yet" in page.id("turn-1").text and "Please." in page.id("turn-1").text
    assert "No verdict yet." in page.id("progress").text
    assert "Nothing has been written yet." in page.id("code").text


# --- iterations and turns -----------------------------------------------------------------------


def test_iterations_are_counted_where_they_were_made(page):
    table = rows(page.id("iterations").all("table")[0])
    names = ("where", "asked for", "repairs", "judgements", "L1 failed", "L2 failed", "L3 failed")
    assert table[0][:7] == list(names)
    assert [row[:7] for row in table[1:]] == [
        ["heat module", "1", "2", "2", "1", "–", "–"],
        ["env module", "1", "–", "1", "–", "–", "–"],
        ["L2 interactions", "1", "–", "1", "–", "–", "–"],
        ["L3 rollouts", "–", "1", "2", "–", "–", "1"],
        ["all", "3", "3", "6", "1", "–", "1"],
    ]


def test_guarded_files_and_bad_ends_are_listed(page):
    assert page.id("meddled").text == "turn 3: tests/golden/heat.npz, PROMPT.md; restored"
    assert page.id("unwell").text == "turn 2: timeout, the agent took too long"


def test_a_turn_tells_what_was_asked_said_changed_and_judged(page):
    first = page.id("turn-1")
    assert "1 translate heat" in first.text and "1,000 tokens, 700 of them cached" in first.text
    assert "src/fast_lamp/heat.py +3 new" in first.text and "L1 1 of 2 fail" in first.text
    assert first.all("blockquote")[0].all("code")[0].text == "heat.py"
    parted, prompt = first.all("details")
    assert "differ at step 40" in parted.text and "A long contract." in prompt.text
    assert "+1 −1" in page.id("turn-3").text and "L1 2 pass" in page.id("turn-3").text
    assert "Nothing was changed." in page.id("turn-2").text
    assert "1 divergence became a test of level 1" in page.id("turn-5").text


def test_a_persons_edit_and_a_new_agent_are_in_the_history(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.ask("translate heat").answer(files={f"{SRC}/heat.py": "a = 1\n"})
    story.judge(1, 0, level(1, 0, 1)).end("human", "stuck")
    story.edit({f"{SRC}/heat.py": "a = 2\n"}).begin("resumed", kind="codex", model="other-2")
    page = page_of(story.judge(1, 0, level(1, 1)))
    turns = page.id("turns").text
    assert "A person changed the code" in turns and "by codex with other-2" in turns
    assert "a person's edit 1 +1 −1" in page.id("code").text
    assert "codex" in page.all("dl", "agent")[0].text


# --- levels and code ------------------------------------------------------------------------------


def test_the_last_verdict_of_every_level_is_told_with_tests_and_notes(page):
    for number, tests in ((1, "a5"), (2, "b2"), (3, "c2")):
        card = page.id(f"level-{number}")
        assert "green judged after turn 6" in card.text and tests in card.text
    assert "2 × 20 episodes" in page.id("level-3").text
    regression = page.id("regression-1").text
    assert regression.startswith("regression 001, after turn 5, found by level 3")
    assert "field truncated" in regression


def test_code_that_takes_long_to_colour_is_plain():
    """A lexer of pygments takes minutes for the blank space that a text of the page may have."""
    assert "<span" in coloured("a.py", "x = 1\n\n\ndef f(): ...\n")[0]
    assert "".join(coloured("a.py", "x = 1\n" + " \n" * 100_000)).startswith("x = 1")


def test_the_code_is_coloured_and_has_its_history(page):
    code = page.id("code")
    (heat,) = (
        f for f in code.all("details", "file") if "heat.py 3 lines" in f.all("summary")[0].text
    )
    assert heat.all("pre")[0].all("span", "hl-k")[0].text == "def"
    first, second = heat.all("details")[1:]
    assert first.all("summary")[0].text == "turn 1 +3 new"
    assert [s.text for s in second.all("span", "added")] == [
        "+ return 0.75 * heat + 0.0625 * level * level"
    ]
    assert len(second.all("span", "removed")) == 1
    links = [a.attributes["href"][1:] for a in page.id("turn-3").all("a")]
    assert links[0] == second.attributes["id"]


def test_a_removed_file_keeps_its_history(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.ask("translate heat").answer(files={f"{SRC}/old.py": "a = 1\n"})
    story.ask("repair level 1").answer(files={f"{SRC}/old.py": None})
    (file,) = page_of(story).id("code").all("details", "file")
    assert "removed" in file.all("summary")[0].text and "turn 2 −1 removed" in file.text


def test_what_is_missing_from_the_store_is_told(tmp_path):
    story = whole_run(tmp_path / "lamp")
    (story.folder / "objects" / story.journal.of("asked")[0]["prompt"]).unlink()
    made = build_run_page(open_run(story.folder), Path("run.html"))
    assert len(made.problems) == 1 and "is missing: the run is damaged" in made.problems[0]
    assert "is missing" in read_page(made.text).id("left-out").text


def test_a_journal_that_is_none_is_bad_input(tmp_path):
    story = Story(tmp_path / "lamp").begin()
    story.journal.append("judged", phase=1)
    with pytest.raises(EnvwrightError, match="not the whole journal of a run"):
        text_of(story)


# --- what agents write is text --------------------------------------------------------------------


def test_nothing_that_an_agent_wrote_is_markup(tmp_path):
    story = recipe.evil_run(tmp_path / "lamp")
    text = text_of(story)
    assert "<script>alert" not in text and "<img" not in text and "<b onclick" not in text
    page = read_page(text)
    assert EVIL in page.id("turn-1").raw and f"x = '{EVIL}'" in page.id("code").raw
    assert not any(key.startswith("on") for node in page.walk() for key in node.attributes)


def test_both_pages_forbid_the_same(tmp_path, page):
    samples.put(tmp_path / "a.json", samples.mutation())
    other = read_page(build_page(read_results(tmp_path), tmp_path / "r.html"))

    def guards(tree):
        metas = [m.attributes for m in tree.all("meta") if "http-equiv" in m.attributes]
        return metas, tree.all("head")[0].all("script")[0].text

    assert guards(page) == guards(other)


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def envwright(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        return int(left.value.code or 0), *capsys.readouterr()

    return run


def test_the_command_takes_the_beginning_of_an_id(envwright, tmp_path):
    whole_run(tmp_path / "lamp")
    code, out, err = envwright("report", "--run", "20260102")
    assert (code, err) == (0, "") and out.startswith("run.html: run 20260102-030405-abcd, 6 turns")
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")
    assert "runs/20260102-030405-abcd -o run.html" in (tmp_path / "run.html").read_text()


def test_the_command_refuses_what_it_does_not_know_or_would_not_use(envwright, tmp_path):
    whole_run(tmp_path / "lamp")
    assert "no run 'tea'" in envwright("report", "--run", "tea")[2]
    code, _, err = envwright("report", "--run", "2026", "--trust")
    assert code == 2 and "leave them out" in err
    assert not (tmp_path / "run.html").exists()
