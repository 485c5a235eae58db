"""Folders that a program has filled: whatever it left, nothing is followed and nothing stays."""

from __future__ import annotations

import os
import stat

import pytest
from tests.leftovers import SPECIAL, escapes, loop, nest, not_utf8

from envwright.errors import EnvwrightError
from envwright.sandbox import tree
from envwright.sandbox.tree import Fate, Unusable

LONG = "n" * 250


@pytest.fixture
def place(tmp_path):
    made = tmp_path / "place"
    made.mkdir()
    return made


@pytest.fixture
def outside(tmp_path):
    made = tmp_path / "outside"
    made.mkdir()
    (made / "file").write_text("precious")
    return made


# --- removing --------------------------------------------------------------------------------


def test_a_folder_is_removed_however_wide(place, monkeypatch):
    monkeypatch.setattr(tree, "AT_A_TIME", 4)
    for number in range(11):
        (place / f"{number}").mkdir()
        (place / f"{number}" / "file").touch()
    tree.remove(place)
    assert not place.exists()


@pytest.mark.parametrize("mode", [0, 0o400, 0o500])
def test_a_locked_folder_is_removed(place, mode):
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "file").touch(0)
    for locked in (place / "a" / "b", place / "a", place):
        locked.chmod(mode)
    tree.remove(place)
    assert not place.exists()


def test_links_are_removed_and_what_they_lead_to_is_kept(place, outside):
    (place / "folder").symlink_to(outside)
    (place / "file").symlink_to(outside / "file")
    loop(place / "loop")
    tree.remove(place)
    (place.parent / "link").symlink_to(outside)
    tree.remove(place.parent / "link")
    assert not place.exists() and (outside / "file").read_text() == "precious"


@pytest.mark.parametrize("special", SPECIAL)
def test_special_files_and_strange_names_are_removed(place, special):
    special(place / "special")
    not_utf8(place)
    escapes(place)
    tree.remove(place)
    assert not place.exists()


def test_nothing_to_remove_is_no_error(place):
    tree.remove(place / "nowhere" / "nothing")
    tree.unlink(place, "nowhere/nothing")


def test_a_removal_that_leaves_something_is_an_error(place, monkeypatch):
    (place / "a").mkdir()

    def busy(*_, **__):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(os, "rmdir", busy)
    with pytest.raises(EnvwrightError, match=r"cannot remove .*busy; remove it by hand"):
        tree.fresh(place)


def test_a_fresh_folder_is_new_whatever_was_there(place, outside):
    home = place / "home"
    home.symlink_to(outside)
    assert tree.fresh(home) == home
    assert not home.is_symlink() and list(home.iterdir()) == []
    (home / "left").touch()
    home.chmod(0o500)
    assert list(tree.fresh(home).iterdir()) == []
    assert (outside / "file").read_text() == "precious"


def test_a_folder_is_used_again_unless_no_jail_could_hold_it(place):
    again = place / "scratch"
    (tree.reused(again) / "kept").touch()
    again.chmod(0)
    assert [path.name for path in tree.reused(again).iterdir()] == ["kept"]
    nest(again, 300)
    assert list(tree.reused(again).iterdir()) == []


# --- writing ---------------------------------------------------------------------------------


def test_nothing_is_written_through_a_link(place, outside):
    (place / "folder").symlink_to(outside)
    (place / "link").symlink_to(outside / "file")
    os.link(outside / "file", place / "same")
    for path in ("folder/file", "link", "same"):
        tree.write(place, path, b"ours")
        assert (place / path).read_bytes() == b"ours"
    assert (outside / "file").read_text() == "precious"
    assert sorted(path.name for path in outside.iterdir()) == ["file"]


def test_a_root_that_became_a_link_is_made_anew(place, outside):
    (place / "root").symlink_to(outside)
    tree.write(place / "root", "file", b"ours")
    assert (outside / "file").read_text() == "precious"
    assert (place / "root" / "file").read_bytes() == b"ours"


@pytest.mark.parametrize("special", SPECIAL)
def test_a_file_is_written_in_place_of_anything(place, special):
    special(place / "a")
    tree.write(place, "a/b", b"1")  # as a folder
    nest(place / "a", 40)
    tree.write(place, "a", b"2")  # as a file
    assert (place / "a").read_bytes() == b"2"


def test_a_file_is_written_into_locked_folders_and_others_can_read_it(place):
    (place / "a" / "b").mkdir(parents=True)
    for locked in (place / "a" / "b", place / "a", place):
        locked.chmod(0)
    tree.write(place, "a/b/file", b"1")
    paths = (place, place / "a", place / "a" / "b", place / "a" / "b" / "file")
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o755] * 3 + [0o644]


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a//b", ".", "a/.", "", "a\0b", "a/"])
def test_only_paths_below_the_folder_are_taken(place, path):
    for use in (
        lambda: tree.write(place / "root", path, b""),
        lambda: tree.read(place / "root", path, 9),
        lambda: tree.unlink(place / "root", path),
        lambda: tree.make(place / "root", path),
    ):
        with pytest.raises(EnvwrightError, match="is not a plain path below its folder"):
            use()
    assert list(place.iterdir()) == []


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize("special", SPECIAL)
def test_a_special_file_is_not_opened(place, special):
    special(place / "file")
    with pytest.raises(Unusable, match=r"file is a .*, not an ordinary file"):
        tree.read(place, "file", 100)


def test_nothing_is_read_through_a_link(place, outside):
    (place / "folder").symlink_to(outside)
    with pytest.raises(Unusable, match="is missing"):
        tree.read(place, "folder/file", 100)


def test_a_locked_file_is_read(place):
    (place / "file").write_text("text")
    (place / "file").chmod(0)
    place.chmod(0)
    assert tree.read(place, "file", 4) == b"text"


def test_a_huge_file_is_not_read(place):
    with open(place / "file", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unusable, match="larger than 1,000 bytes"):
        tree.read(place, "file", 1000)


def test_a_file_that_grows_while_it_is_read_is_not_read_to_its_end(place, monkeypatch):
    (place / "file").write_text("short")
    status = os.fstat

    def grown(number):
        seen = status(number)
        with open(place / "file", "ab") as file:
            file.write(b"x" * 1000)
        return seen

    monkeypatch.setattr(os, "fstat", grown)
    with pytest.raises(Unusable, match="larger than 100 bytes"):
        tree.read(place, "file", 100)


def test_a_file_that_becomes_a_link_after_it_is_listed_is_not_followed(place, outside):
    (place / "src").mkdir()
    (place / "src" / "file").touch()
    ((path, _),) = tree.listed(place, "src", 9)
    (place / path).unlink()
    (place / path).symlink_to(outside / "file")
    with pytest.raises(Unusable, match="symbolic link"):
        tree.read(place, path, 100)


# --- listing and pruning ---------------------------------------------------------------------


def test_too_much_and_too_deep_is_not_listed(place):
    (place / "src").mkdir()
    for number in range(11):
        (place / "src" / f"{number}").touch()
    assert len(list(tree.listed(place, "src", 11))) == 11
    with pytest.raises(Unusable, match="more than 10 files and folders in src"):
        list(tree.listed(place, "src", 10))
    nest(place / "src", tree.DEEPEST + 1)
    with pytest.raises(Unusable, match="levels deep"):
        list(tree.listed(place, "src", 1000))


def test_what_is_pruned_is_told_in_few_and_legible_words(place):
    (place / "kept").touch()
    escapes(place)
    for number in range(200):
        (place / f"{number:03d}{LONG}"[:255]).touch()

    def fate(path, status):
        return Fate.KEEP if path == "kept" else Fate.REMOVE

    removed = tree.prune(place, fate)
    assert [path.name for path in place.iterdir()] == ["kept"]
    assert len(removed) == tree.NAMED + 1 and removed[-1] == "151 more"
    assert all(name.isprintable() and len(name) <= tree.LONGEST + 1 for name in removed)


def test_a_folder_is_removed_deeper_than_the_stack_and_the_descriptors_reach(place):
    """Whoever enters each folder is stopped in time, and what is below is removed."""
    nest(place, 1100)
    assert len(tree.prune(place, lambda path, status: Fate.ENTER)) == 1
    tree.remove(place)
    assert not place.exists()
