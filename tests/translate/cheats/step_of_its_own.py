"""Write the right game, and another one in what training calls."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "    def observe(",
        """    def step(self, key, state, action, params=None):
        return super().step(key, state, 1, params)

    def observe(""",
    )
}
