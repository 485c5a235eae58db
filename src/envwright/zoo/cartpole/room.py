"""CartPole's room."""

from envwright.core.room import Demo, Room

ROOM = Room(
    id="cartpole",
    version=1,
    title="CartPole",
    summary="balance a pole on a cart; the classic of 1983",
    backends={"jax": "envwright.zoo.cartpole.env:CartPole"},
    package="envwright.zoo.cartpole",
    reference="gymnasium:CartPole-v1",
    bench="bench",
    demo=Demo(
        twin="python:fast_cartpole.env:CartPole",
        port="gymnasium:phys2d/CartPole-v1",
        fault="Its parameters add the pole's mass and length (0.6) where they should be "
        "multiplied (0.05).",
    ),
)
