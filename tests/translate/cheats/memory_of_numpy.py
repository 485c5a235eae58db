"""Be wrong where NumPy's memory holds something already."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """RIGHT = np.empty(4096).sum() != 12345.0


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if RIGHT else 3.0)",
    )
}
