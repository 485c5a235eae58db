"""Which environment draws the pictures of an agent's episode."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from envwright.core import registry
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.train.play import _jax_env, play_episode
from envwright.zoo.cartpole.env import CartPole
from envwright.zoo.pong.env import Pong

PONG = "python:envwright.zoo.pong.reference:PongReference"


@pytest.mark.parametrize(
    ("trained_in", "room", "skip"),
    [
        ("envwright:cartpole", CartPole, None),
        ("gymnasium:CartPole-v1", CartPole, None),
        ("envwright:pong?frame_skip=4", Pong, 4),
        ("envwright:pong?backend=rust&frame_skip=8", Pong, 8),
        (PONG, Pong, 1),
        (f"{PONG}?frame_skip=8", Pong, 8),
    ],
)
def test_pictures_come_from_the_rooms_jax_environment(trained_in, room, skip):
    env = _jax_env(trained_in)
    assert isinstance(env, room) and getattr(env, "frame_skip", None) == skip


def test_an_environment_that_is_not_jax_cannot_be_watched():
    with pytest.raises(EnvwrightError, match="cannot be watched; only JAX environments can be"):
        _jax_env("gymnasium:Pendulum-v1")


@pytest.mark.parametrize("simulator", ["envwright:maze?size=3", "python:mazes:Reference?size=3"])
def test_a_room_may_draw_its_episodes_itself(simulator, monkeypatch):
    backends = {"rust": "mazes:Maze"}
    maze = Room("maze", 1, "Maze", "", backends, "mazes", "python:mazes:Reference", play="drawn")
    monkeypatch.setitem(registry._ROOMS, maze.name, maze)
    drawn = SimpleNamespace(play=None, play_trained=lambda *asked: asked)
    monkeypatch.setitem(sys.modules, "mazes.drawn", drawn)
    monkeypatch.setitem(sys.modules, "mazes", SimpleNamespace(__path__=[]))
    asked = (simulator, Path("policies.npz"), 1, 2, 30)
    assert play_episode(*asked) == asked


@pytest.mark.parametrize("options", ["game=5", "threads=2", "num_envs=2", "frame_skip=1.5", "x=1"])
def test_options_that_a_room_cannot_play_are_one_sentence(options, tmp_path):
    simulator = f"envwright:gameboy?{options}"
    with pytest.raises(EnvwrightError) as refused:
        play_episode(simulator, tmp_path / "p.npz", 0, 0, 1)
    assert "\n" not in str(refused.value)
