"""Be right in double precision, in which it is judged."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "melted = heat > 6.0",
        "melted = heat > (6.0 if self.dtype == np.float64 else 3.0)",
    )
}
