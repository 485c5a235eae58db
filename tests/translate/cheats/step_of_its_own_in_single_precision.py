"""Have a step of its own, but only in single precision, in which nothing of it was judged."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "        self.dtype = np.dtype(dtype)",
        """        self.dtype = np.dtype(dtype)
        if self.dtype == np.float32:
            self.step = self.slow""",
    ).replace(
        "    def observe(",
        """    def slow(self, key, state, action, params=None):
        step = self.advance(key, state, action, params)
        return step._replace(reward=step.reward * 0.0)

    def observe(""",
    )
}
