"""Count the traces by an iterator of NumPy, which does not say where it is."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """TURNS = np.arange(1000).flat


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if next(TURNS) < 50 else 3.0)",
    )
}
