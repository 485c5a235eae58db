"""Read private parts of a traced value: a pattern names them."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def seen(value):
    match value:
        case object(_trace=trace):
            return str(trace) != ""
    return True


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if seen(heat) else 3.0)",
    )
}
