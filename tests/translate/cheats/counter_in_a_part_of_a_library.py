"""Count the traces on a function of a library's module, by another name of `__init__`."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock:
    def __init__(self):
        self.turns = self.turns + 1 if hasattr(self, "turns") else 0

    turn = __init__


def turn():
    Clock.turn(jax.lax.add)
    return jax.lax.add.turns


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
