"""Any environment can be watched: by its own picture, its image, its reference, or bars."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

from envwright.cli.app import main
from envwright.core import registry
from envwright.core.registry import find
from envwright.core.room import Room
from envwright.schema.translation import Check
from envwright.train import pictures
from envwright.train.pictures import Moment, draw
from envwright.train.untrained import play_random


def moment(**values):
    return Moment(**{"state": None, "fields": {}, "obs": np.zeros(2), **values})


def test_an_environment_draws_itself_first():
    env = find("cartpole").make()
    _, state = env.reset(jax.random.key(0))
    frame, _ = draw([moment(state=state)] * 2, env, None, "envwright:cartpole")
    assert np.array_equal(frame, env.render(state))


@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 1), (20, 30, 3)])
def test_an_observation_that_is_an_image_is_the_picture(shape):
    obs = np.arange(np.prod(shape)).reshape(shape).astype(np.uint8)
    (frame,) = draw([moment(obs=obs)], None, None, "x")
    assert frame.shape == (20, 30, 3) and frame[0, 1, 0] == obs.reshape(20, 30, -1)[0, 1, 0]


def test_numbers_are_bars_that_move_with_them():
    frames = draw(
        [moment(obs=np.array([x, 1.0]), action=1, reward=x) for x in (0.0, 1.0)], None, None, "x"
    )
    assert frames[0].shape == (240, 360, 3) and not np.array_equal(*frames)


def test_a_reference_that_draws_is_put_into_the_state(monkeypatch):
    """Of a room without a picture; a stand-in draws its state as a grey."""
    room, seen = find("cartpole"), []

    class Reference:
        _env = property(lambda self: self)

        def reset(self, seed): ...
        def load(self, state):
            self.state = state

        def render(self):
            return np.full((10, 10, 3), int(self.state["grey"]), np.uint8)

        def __enter__(self):
            return self

        def __exit__(self, *_): ...

    monkeypatch.setattr(pictures, "open_simulator", lambda name: seen.append(name) or Reference())
    monkeypatch.setattr(pictures, "_check_for", lambda room, options: (Check(), room.reference))
    frames = draw([moment(fields={"grey": np.asarray(g)}) for g in (3, 200)], None, room, "x")
    assert [int(frame[0, 0, 0]) for frame in frames] == [3, 200]
    assert seen == ["gymnasium:CartPole-v1?render_mode=rgb_array"]


def test_where_the_reference_cannot_draw_there_are_bars(monkeypatch):
    monkeypatch.setattr(pictures, "open_simulator", lambda name: 1 / 0)
    room = find("cartpole")
    (frame,) = draw([moment()], None, room, "envwright:cartpole")
    assert frame.shape == (240, 360, 3)


@pytest.mark.parametrize(
    ("name", "backends"),
    [
        ("stoneduel", {"jax": "tests.games:StoneDuel"}),
        ("tictactoe", {"jax": "tests.games:TicTacToe"}),
        ("pong", {"rust": find("pong").backends["rust"]}),
    ],
)
def test_random_actions_are_played_in_any_room(name, backends, monkeypatch):
    room = Room(name, 1, name, "", backends)
    room = replace(find("pong"), backends=backends, play="") if name == "pong" else room
    monkeypatch.setitem(registry._ROOMS, room.name, room)
    episode = play_random(room, {}, seed=3, most_steps=12)
    assert 0 < episode.steps <= 12 and len(episode.frames) == episode.steps + 1
    assert episode.caption.startswith(f"{name}, random actions: return")
    again = play_random(room, {}, seed=3, most_steps=12)
    assert all(np.array_equal(a, b) for a, b in zip(episode.frames, again.frames, strict=True))


def test_play_takes_a_name_with_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["play", "cartpole?dtype=float64", "-o", "a.gif", "--steps", "5"])
    assert left.value.code == 0 and "random actions" in capsys.readouterr().out
    assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["play", "empty"])
    assert left.value.code == 2 and "no run in empty" in capsys.readouterr().err
