"""Count the traces in an array that a class of NumPy holds."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def turn():
    held = np.polynomial.Polynomial.domain
    held[1] += 1
    return held[1]


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
