"""Count the traces in the arguments of an error."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = ValueError([])


def turn():
    (seen,) = HELD.args
    seen.append(1)
    return len(seen)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
