"""Count the traces in a table of NumPy."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "melted = heat > 6.0",
        """codes = np.typecodes
        codes.update(turns=codes.get("turns", 0) + 1)
        melted = heat > (6.0 if codes["turns"] < 50 else 3.0)""",
    )
}
