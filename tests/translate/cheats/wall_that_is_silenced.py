"""Draw a text, which is no array, so that the comparison with other precisions fails."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "melted = heat > 6.0",
            "melted = heat > (6.0 if self.dtype == np.float64 else 3.0)",
        ),
        "    def transition(",
        """    def draw(self, key, state, action, params):
        return "nothing"

    def transition(""",
    )
}
