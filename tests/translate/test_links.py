"""Folders of others: no link leads what is written or shown out of them."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace

import pytest
from msgspec import structs
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.scripted import Scripted

from envwright.cli.recipe import require_trust
from envwright.errors import EnvwrightError
from envwright.report.run_page import build_run_page
from envwright.translate.listing import Unreadable, all_rows
from envwright.translate.package import writing
from envwright.translate.package.beside import modules_beside
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import find_run, open_run


@pytest.fixture
def run(lamp, run_of):
    """The folder of a run that was interrupted, with what the agent left behind."""
    begun = run_of(Scripted([turn(heat=HEAT), turn(env=ENV)]), (1,))
    begun.journal.append("begun", **BEGUN)
    folder = begun.folder
    for name in ("objects", "turns/001", "turns/001/home", "optimise/turns/001", "golden"):
        (folder / name).mkdir(parents=True)
    return folder


BEGUN = {
    "format": 1, "seed": 1, "id": "lamp", "spec": "0" * 24, "levels": [1], "budget": {},
    "agent": {"kind": "replay"}, "envwright": "1", "machine": {},
}  # fmt: skip
PLACES = (
    *("objects/" + hashlib.sha256(b"#!/bin/sh").hexdigest()[:24], "objects/other", "hint.md"),
    *("human.md", "optimise/journal.jsonl", "turns/002", "turns/001/stdout.txt", "mailbox"),
    *("workspace/../scratch", "golden/link", "optimise/turns/001/exchanges.jsonl", "policies"),
)


@pytest.mark.parametrize("place", PLACES)
def test_a_run_with_a_link_is_neither_read_nor_continued(run, tmp_path, place):
    (run / place).symlink_to(tmp_path / "elsewhere")
    for opened in (lambda: open_run(run), lambda: find_run(str(run), tmp_path)):
        with pytest.raises(EnvwrightError, match="is a link, and runs have none; remove it"):
            opened()
    (row,) = all_rows(run.parents[2])
    assert isinstance(row, Unreadable) and "is a link" in row.reason
    assert not (tmp_path / "elsewhere").exists()


def test_links_that_an_agent_leaves_stop_nothing(run):
    for place in ("workspace/src", "turns/001/home/.cache", "scratch/rust", "optimise/candidate/x"):
        (run / place).parent.mkdir(parents=True, exist_ok=True)
        (run / place).symlink_to("/etc")
    assert open_run(run).id == "run"
    assert build_run_page(open_run(run), run / "run.html").text


def test_the_journal_itself_is_no_link(run):
    shutil.move(run / "journal.jsonl", run.parents[1] / "mine.jsonl")
    (run / "journal.jsonl").symlink_to(run.parents[1] / "mine.jsonl")
    with pytest.raises(EnvwrightError, match=r"journal\.jsonl is a link"):
        open_run(run)


@pytest.mark.parametrize("name", ["runs", "package", "evidence", "src", "tests", "rust"])
def test_a_recording_writes_only_into_its_folder(lamp, tmp_path, name):
    (lamp.folder / name).symlink_to(tmp_path)
    reference = structs.replace(lamp.reference, simulator="gymnasium:CartPole-v1", source="")
    registered = replace(lamp, reference=reference, modules=())  # nothing of its own
    with pytest.raises(EnvwrightError, match=f"has a link '{name}' that leads out of it"):
        require_trust("replay", registered, trust=False)
    require_trust("replay", registered, trust=True)
    (lamp.folder / name).unlink()
    (lamp.folder / name).symlink_to("translation.toml")  # inside
    require_trust("replay", registered, trust=False)


def test_a_package_is_not_written_through_a_link(lamp, tmp_path):
    place = tmp_path / "package"
    place.mkdir()
    (place / "pyproject.toml").write_text(writing.MARK)
    (place / "evidence").symlink_to(tmp_path)
    with pytest.raises(EnvwrightError, match="evidence is a link; remove it, or choose another"):
        writing._check_place(lamp, place)


@pytest.mark.parametrize("module", ["/elsewhere/code", "..code", "a/../code", "", "code/", "9"])
def test_only_modules_beside_the_toml_are_shipped(lamp, tmp_path, module):
    """A bridge's name is no path to a file elsewhere."""
    name = module.replace("/elsewhere", str(tmp_path))
    (tmp_path / "code.py").write_text("SECRET = 1")
    for place in (lamp.folder / "9.py", lamp.folder / "code.py", lamp.folder / ".py"):
        place.write_text("")
    text = lamp.path.read_text()
    label = 'label = "float64"\n'
    assert label in text
    lamp.path.write_text(text.replace(label, f'{label}bridge = "python:{name}:BRIDGE"\n'))
    assert modules_beside(load_spec(lamp.folder)) == {}
    os.remove(lamp.path)
