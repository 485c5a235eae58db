"""Versions of PyBoy are compared frame by frame."""

from __future__ import annotations

import itertools

import pytest

from envwright.core.pinned import Pin
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.checks import versions
from envwright.zoo.gameboy.checks.version_frames import frames
from envwright.zoo.gameboy.roms import FOLDER

OLD, NEW = ("old", Pin("pyboy", "1")), ("new", Pin("pyboy", "2"))
FRAME = {"cycles": "a", "wram": "b", "screen": "c"}


def played(monkeypatch, **records):
    """Give what each interpreter plays, one record after the other."""
    answers = {name: itertools.cycle(given) for name, given in records.items()}
    monkeypatch.setattr(versions, "_played", lambda python, pin, game: next(answers[python]))
    return versions._compared(emberkeep.ROM, OLD, NEW)


def test_equal_frames_are_counted(monkeypatch):
    record = [[FRAME] * 3, [FRAME] * 2]
    part = played(monkeypatch, old=[record], new=[record])
    assert (part.name, part.compared, part.differ, part.first) == ("emberkeep.gb", 5, 0, "")


def test_the_first_frame_that_differs_is_named_with_what_differs(monkeypatch):
    other = [[FRAME, FRAME], [FRAME, FRAME | {"wram": "x", "screen": "y"}]]
    part = played(monkeypatch, old=[[[FRAME] * 2] * 2], new=[other])
    assert part.differ == 1 and part.first == "seed 1, frame 2: wram, screen"


def test_a_version_that_does_not_reproduce_itself_proves_nothing(monkeypatch):
    other = [[FRAME | {"wram": "x"}]]
    with pytest.raises(EnvwrightError, match="pyboy==1 does not reproduce itself"):
        played(monkeypatch, old=[[[FRAME]], other], new=[other])


def test_digests_of_a_game_repeat_and_follow_the_buttons():
    rom = emberkeep.ROM.read_bytes()
    first, again, other = (list(frames(rom, seed, 40)) for seed in (1, 1, 2))
    assert first == again and first != other and len(first) == 40


def test_the_users_games_are_played_too_and_other_files_are_not(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.gb").write_bytes(emberkeep.ROM.read_bytes())
    (tmp_path / "empty.gb").write_bytes(b"")
    (tmp_path / "a.txt").write_text("")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert [path.name for path in versions._games()] == ["emberkeep.gb", "a.gb"]
