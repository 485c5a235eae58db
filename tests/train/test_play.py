"""Which environment draws the pictures of an agent's episode."""

import pytest

from envwright.errors import EnvwrightError
from envwright.train.play import _with_pictures
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
    env = _with_pictures(trained_in)
    assert isinstance(env, room) and getattr(env, "frame_skip", None) == skip


def test_where_there_are_no_pictures_that_is_said():
    with pytest.raises(EnvwrightError, match="gymnasium:Pendulum-v1 cannot be watched"):
        _with_pictures("gymnasium:Pendulum-v1")
