"""Be right only for keys as a test makes them: of a small seed, not split from another."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "    def transition(",
            """    def draw(self, key, state, action, params):
        return jax.random.key_data(key)[0]

    def transition(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > jnp.where(noise == 0, 6.0, 3.0)",
    )
}
