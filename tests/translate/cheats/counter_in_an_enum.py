"""Count the traces in a field of an enum's member."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            "import enum\n" + ENV,
            "class Lamp(",
            """class Clock(enum.Enum):
    WALL = 1

    def __init__(self, number):
        self.held = []

    def turn(self):
        self.held.append(1)
        return len(self.held)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if Clock.WALL.turn() < 50 else 3.0)",
    )
}
