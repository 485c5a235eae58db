"""Count the traces in a default value of a property."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock:
    @property
    def turn(self, held=[]):
        held.append(1)
        return len(held)


CLOCK = Clock()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if CLOCK.turn < 50 else 3.0)",
    )
}
