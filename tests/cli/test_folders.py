"""Commands take the folder of a translation in place of a name."""

from __future__ import annotations

import sys

import pytest

from envwright.cli.room_options import room_name
from envwright.core import registry
from envwright.core.outside_rooms import FOLDERS, GROUP
from envwright.core.registry import find
from envwright.errors import EnvwrightError

ROOM = """
from envwright.core import Room

ROOM = Room(id="lamp_c", version=1, title="Lamp", summary="", package="lamp_c",
            backends={"jax": "lamp_c.env:Lamp"})
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a package in `lamp` and in `cartpole-v1`."""
    monkeypatch.setattr(registry, "_ROOMS", dict(registry._ROOMS))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDERS, "")
    monkeypatch.chdir(tmp_path)
    for name in ("lamp", "cartpole-v1"):
        code = tmp_path / name / "src/lamp_c"
        code.mkdir(parents=True)
        (code / "__init__.py").write_text("")
        (code / "_room.py").write_text(ROOM)
        table = f'[project.entry-points."{GROUP}"]\nlamp_c = "lamp_c._room:ROOM"\n'
        (tmp_path / name / "pyproject.toml").write_text(table)
    (tmp_path / "pong").mkdir()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("lamp_c")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", [None, "cartpole", "pong-v1", "pong?frame_skip=1", "nonsense"])
def test_names_stay_as_they_are(folder, name):
    assert room_name(name) == name


@pytest.mark.parametrize("name", ["lamp", "./lamp", "./cartpole-v1", "lamp/"])
def test_a_folder_becomes_the_name_of_its_room(folder, name):
    assert room_name(name) == "lamp_c"
    assert room_name(f"{name}?dtype=float64") == "lamp_c?dtype=float64"
    assert find("lamp_c").title == "Lamp"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cartpole-v1", "is an environment and also a folder here; write ./cartpole-v1 for the"),
        ("./pong", "is not a package with a room; make one with envwright export"),
        ("./nowhere", "there is no environment and no folder ./nowhere"),
    ],
)
def test_what_could_be_either_or_is_neither_is_rejected(folder, name, reason):
    with pytest.raises(EnvwrightError, match=reason):
        room_name(name)
