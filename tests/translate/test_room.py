"""A finished translation opens as a room."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import jax
import pytest
from envwright.translate.room import open_room
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.scripted import Scripted

from envwright.core.registry import rooms
from envwright.errors import EnvwrightError
from envwright.schema.translation import room_translation

RECORDINGS = Path(__file__).parents[2] / "recordings"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What was made importable is so during a test only."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in [name for name in sys.modules if name.startswith("fast_")]:
        del sys.modules[name]


def finished(recording: Path, folder: Path) -> Path:
    """The folder that a recorded translation ended with."""
    shutil.copytree(recording, folder)
    for each in json.loads((recording / "recording.json").read_text())["turns"]:
        for name, text in each["files"].items():
            if name.startswith("src/") and text is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
    return folder


def test_a_recorded_translation_is_a_room_that_plays(tmp_path):
    folder = finished(RECORDINGS / "cartpole", tmp_path / "fast")
    room = open_room(folder)
    assert (room.name, room.title, room.default_backend) == ("cartpole-v1", "CartPole", "jax")
    assert room.reference == "gymnasium:CartPole-v1"
    translation = room_translation(room)
    assert translation is not None and translation.l3.episodes == 200
    assert room not in rooms()
    assert "fast_cartpole" not in sys.modules, "opening runs no code"
    env = room.make(sutton_barto_reward=True)
    assert type(env).__module__ == "fast_cartpole.env"
    obs, state = env.reset(jax.random.key(0))
    assert obs.shape == (4,) and env.step(jax.random.key(1), state, 1).reward.shape == ()
    with pytest.raises(EnvwrightError, match="cartpole-v1 has no option 'wheels'"):
        room.make(wheels=4)


@pytest.mark.slow
def test_the_code_is_that_of_the_newest_verified_run(lamp, run_of):
    with pytest.raises(EnvwrightError, match="has no verified run; run envwright translate"):
        open_room(lamp.folder)
    run = run_of(Scripted([turn(heat=HEAT), turn(env=ENV)]), levels=(1,))
    assert run.go().outcome == "verified"
    room = open_room(lamp.folder)
    made = room.make()
    assert Path(sys.modules[type(made).__module__].__file__).is_relative_to(run.code)


def test_a_rust_translation_is_not_a_room_yet():
    with pytest.raises(EnvwrightError, match="a translation to rust; only JAX ones open"):
        open_room(RECORDINGS / "pong-rust")
