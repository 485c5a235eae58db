"""A package is replaced as a whole, or stays as it was."""

from __future__ import annotations

import os

import pytest

from envwright.translate.package import placing

NAMES = ("pyproject.toml", "src", "tests", "evidence/bench.json")


def tree(folder):
    """The files in a folder with what they hold."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in found}


@pytest.fixture
def place(tmp_path):
    """A folder with an old package, and a draft of a new one in it."""
    folder = tmp_path / "game"
    old = {"pyproject.toml": "old", "src/a.py": "old", "tests/old.py": "old", "mine.txt": "mine"}
    new = {"pyproject.toml": "new", "src/b.py": "new", "evidence/bench.json": "new"}
    for start, files in ((folder, old), (folder / ".draft", new)):
        for name, text in files.items():
            (start / name).parent.mkdir(parents=True, exist_ok=True)
            (start / name).write_text(text)
    return folder


def test_a_draft_replaces_what_was_there_and_nothing_else(place):
    draft = tree(place / ".draft")
    placing.replace(place / ".draft", place, NAMES)
    assert tree(place) == {**draft, "mine.txt": "mine"}


@pytest.mark.parametrize("failing", range(1, 7))
@pytest.mark.parametrize("error", [OSError("no space left on device"), KeyboardInterrupt()])
def test_a_folder_stays_as_it_was_if_any_rename_fails(place, monkeypatch, failing, error):
    before, count, rename = tree(place), 0, os.rename

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
    assert tree(place) == before
    assert not [path for path in place.iterdir() if path.name.startswith(".replaced")]


def test_a_draft_is_removed_whatever_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path.parent)
    relative = tmp_path.relative_to(tmp_path.parent)
    with pytest.raises(ZeroDivisionError), placing.draft_in(relative) as draft:
        assert draft.is_absolute(), "a jail has another current folder"
        (draft / "src").mkdir()
        raise ZeroDivisionError
    assert not [*tmp_path.iterdir()]
