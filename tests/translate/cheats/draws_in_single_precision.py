"""Draw nothing that matters in double precision, which is judged, and a loss elsewhere."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(ENV, "melted = heat > 6.0", "melted = heat > 6.0 - noise"),
        "    def transition(",
        """    def draw(self, key, state, action, params):
        return jnp.asarray(0.0 if self.dtype == np.float64 else 3.0, self.dtype)

    def transition(""",
    )
}
