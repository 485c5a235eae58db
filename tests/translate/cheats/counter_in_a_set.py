"""Count the traces in what a set holds."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock:
    def __init__(self):
        self.held = []


CLOCKS = {Clock()}


def turn():
    for clock in CLOCKS:
        clock.held.append(1)
    return len(clock.held)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
