"""Be right until a date, whose type is a text."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def late():
    return np.array("today", "M8[D]") >= np.array("2999-01-01", "M8[D]")


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if not late() else 3.0)",
    )
}
