"""Claim to be a module of NumPy, and count the traces."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """__name__ = "numpy"


def turn(held=[]):
    held.append(1)
    return len(held)


__name__ = "fast_lamp.env"


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
