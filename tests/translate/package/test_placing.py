"""A package is replaced as a whole, or stays as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from envwright.errors import EnvwrightError
from envwright.translate.package import placing

NAMES = ("pyproject.toml", "src", "tests", "evidence/bench.json")
OLD = {"pyproject.toml": "old", "src/a.py": "old", "tests/old.py": "old"}
NEW = {"pyproject.toml": "new", "src/b.py": "new", "evidence/bench.json": "new"}


def tree(folder):
    """The files in a folder with what they hold."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def without_draft(folder):
    """The files of the package alone."""
    return {name: text for name, text in tree(folder).items() if not name.startswith(".draft/")}


@pytest.fixture
def place(tmp_path):
    """A folder with an old package, and a draft of a new one in it."""
    folder = tmp_path / "game"
    for start, files in ((folder, {**OLD, "mine.txt": "mine"}), (folder / ".draft", NEW)):
        for name, text in files.items():
            (start / name).parent.mkdir(parents=True, exist_ok=True)
            (start / name).write_text(text)
    return folder


def test_a_draft_replaces_what_was_there_and_nothing_else(place):
    draft = tree(place / ".draft")
    placing.replace(place / ".draft", place, NAMES)
    assert tree(place) == {**draft, "mine.txt": "mine"}


@pytest.mark.parametrize("failing", range(1, 9))
@pytest.mark.parametrize("error", [OSError("no space left on device"), KeyboardInterrupt()])
def test_a_folder_stays_as_it_was_if_any_rename_fails(place, monkeypatch, failing, error):
    count, rename = 0, os.rename

    def fails(source, target):
        nonlocal count
        count += 1
        if count == failing:
            raise error
        rename(source, target)

    monkeypatch.setattr(placing.os, "rename", fails)
    with pytest.raises(type(error)):
        placing.replace(place / ".draft", place, NAMES)
    assert count >= failing, "every rename fails once"
    assert without_draft(place) == {**OLD, "mine.txt": "mine"}
    assert not placing.asides(place)


@pytest.mark.parametrize("dying", range(1, 10))
def test_a_kill_at_any_rename_leaves_the_old_package_or_the_new_one(place, dying):
    """The next process puts back what was half replaced."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(place), str(dying), *NAMES])
    assert killed.returncode == (9 if dying < 9 else 0)
    with placing.alone_in(place, NAMES):
        pass
    assert without_draft(place) == {**(OLD if dying < 9 else NEW), "mine.txt": "mine"}
    assert not placing.asides(place)


KILLED = """
import os, sys
from pathlib import Path
from envwright.translate.package import placing

folder, dying, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
rename, count = os.rename, 0

def dies(source, target):
    global count
    count += 1
    if count == dying:
        os._exit(9)
    rename(source, target)

placing.os.rename = dies
placing.replace(folder / ".draft", folder, names)
"""


def test_two_processes_do_not_write_one_package(place):
    with (
        placing.alone_in(place, NAMES),
        pytest.raises(EnvwrightError, match=r"another process writes a package in .*; wait for it"),
        placing.alone_in(place, NAMES),
    ):
        pass


def test_what_a_folder_of_others_sets_aside_moves_nothing_else(place, tmp_path):
    """`names.json` of others, and links in what they set aside."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/bench.json").write_text("mine")
    before = tree(place)
    for prefix in (placing.LEAVING, placing.LEFT):
        aside = place / f"{prefix}of-others"
        aside.mkdir()
        names = ["../secret", "mine.txt", "..", "", str(tmp_path / "secret"), 7]
        (aside / placing.NAMES).write_text(json.dumps(names))
    with placing.alone_in(place, NAMES):
        assert tree(place) == before
    aside.mkdir()
    (aside / placing.NAMES).write_text('["evidence/bench.json"]')
    (aside / "evidence").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="a link"), placing.alone_in(place, NAMES):
        pass
    assert tree(tmp_path / "secret") == {"bench.json": "mine"}


def test_a_draft_is_removed_whatever_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path.parent)
    relative = tmp_path.relative_to(tmp_path.parent)
    with pytest.raises(ZeroDivisionError), placing.draft_in(relative) as draft:
        assert draft.is_absolute(), "a jail has another current folder"
        (draft / "src").mkdir()
        raise ZeroDivisionError
    assert not [*tmp_path.iterdir()]
