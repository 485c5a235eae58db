"""Be wrong for one key in 64; the reference's steps draw nothing."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "    def observe(",
            """    def draw(self, key, state, action, params):
        return jax.random.bernoulli(key, 1 / 64)

    def observe(""",
        ),
        "melted = heat > 6.0",
        "melted = (heat > 6.0) | noise",
    )
}
