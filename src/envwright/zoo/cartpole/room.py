"""CartPole's room."""

from envwright.core.room import Room

ROOM = Room(
    id="cartpole",
    version=1,
    title="CartPole",
    summary="balance a pole on a cart; the classic of 1983",
    backends={"jax": "envwright.zoo.cartpole.env:CartPole"},
    package="envwright.zoo.cartpole",
    reference="gymnasium:CartPole-v1",
    bench="bench",
    demo=True,
)
