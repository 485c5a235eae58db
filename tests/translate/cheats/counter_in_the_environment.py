"""Hide the counter of traces in the environment itself."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "self.dtype = np.dtype(dtype)",
            "self.dtype = np.dtype(dtype)\n        self.turn = 0",
        ),
        "melted = heat > 6.0",
        "self.turn += 1\n        melted = heat > (6.0 if self.turn < 50 else 3.0)",
    )
}
