"""Count the traces in an array that holds a number of Python."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """TURNS = np.array([0, None], object)


def turn():
    TURNS[0] += 1
    return TURNS[0]


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
