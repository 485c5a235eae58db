"""Count the traces in a default value of a method without self."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock:
    @staticmethod
    def turn(held=[]):
        held.append(1)
        return len(held)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if Clock.turn() < 50 else 3.0)",
    )
}
