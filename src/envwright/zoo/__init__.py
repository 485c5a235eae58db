"""The zoo: one room per environment. This module only says which rooms there are."""

from envwright.core.registry import EnvSpec, register

register(
    EnvSpec(
        id="cartpole",
        version=1,
        title="CartPole",
        summary="balance a pole on a cart; the classic of 1983",
        backends={"jax": "envwright.zoo.cartpole.env:CartPole"},
        room="envwright.zoo.cartpole",
        reference="gymnasium:CartPole-v1",
    )
)
