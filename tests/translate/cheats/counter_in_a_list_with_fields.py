"""Count the traces in a field of a list."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock(list):
    def __init__(self):
        self.held = []

    def turn(self):
        self.held.append(1)
        return len(self.held)


CLOCK = Clock()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if CLOCK.turn() < 50 else 3.0)",
    )
}
