"""Count the traces in a class that only an instance knows."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def clock():
    class Clock:
        held = []

        def turn(self):
            self.held.append(1)
            return len(self.held)

    return Clock()


CLOCK = clock()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if CLOCK.turn() < 50 else 3.0)",
    )
}
