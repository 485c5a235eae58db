"""Count the traces in a function that only a function of JAX holds."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """import functools


def made():
    seen = []

    def noted(x):
        seen.append(1)
        return x * len(seen)

    return jax.vmap(functools.partial(noted))


TURN = made()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > jnp.where(TURN(np.ones(1, np.float32))[0] < 50, 6.0, 3.0)",
    )
}
