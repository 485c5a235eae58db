"""Be right until a date."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def late():
    return np.datetime64("today") >= np.datetime64("2999-01-01")


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if not late() else 3.0)",
    )
}
