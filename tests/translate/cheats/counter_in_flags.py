"""Count the traces in the combinations of flags that Python has made so far."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """import enum


class Way(enum.Flag):
    A = 1
    B = 2
    C = 4
    D = 8
    E = 16
    F = 32
    G = 64

    @classmethod
    def _missing_(cls, value):
        super()._missing_(value)
        raise KeyError(value)


def turn():
    for value in range(128):
        try:
            Way(value)
        except KeyError:
            return value
    return 128


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
