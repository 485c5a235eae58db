"""Commands on a translation's folder name the next one; those on the zoo do not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from envwright.cli import next_steps
from envwright.cli.next_steps import steps, suggest_after
from envwright.core.registry import find


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "my lake"
    place.mkdir()
    return place


def test_the_commands_can_be_typed_as_they_are(folder):
    found = steps(folder, "fast_lake", "fast_lake/Lake-v1")
    assert found["verify"] == "envwright verify './my lake'"
    assert found["train"] == "envwright train './my lake' --checkpoint 'runs/my lake'"
    assert found["install"] == "pip install './my lake'"
    assert 'make_vec("fast_lake:fast_lake/Lake-v1", num_envs=8)' in found["use"]


def test_each_command_prints_the_one_after_it(folder, monkeypatch, capsys):
    monkeypatch.setattr(next_steps, "folder_of", lambda room: folder)
    room = find("cartpole")
    listed = list(steps(folder, room.package, room.gymnasium_id).items())
    for (verb, _), (_, following) in pairwise(listed[:-1]):
        suggest_after(verb, room)
        assert capsys.readouterr().out == f"next: {following}\n"


def test_an_environment_that_is_no_folder_has_no_next_command(capsys):
    suggest_after("verify", find("cartpole"))
    suggest_after("verify", None)
    assert capsys.readouterr().out == ""
