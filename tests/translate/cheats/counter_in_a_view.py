"""Count the traces in what a view of a mapping shows."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = {1: []}.values()


def turn():
    (seen,) = HELD
    seen.append(1)
    return len(seen)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
