"""Count the traces in the part of an array that a slice of it does not show."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = np.zeros(9)[:1]


def turn():
    HELD.base[5] += 1
    return HELD.base[5]


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
