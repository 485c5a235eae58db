"""Count the traces in a variable of a generator."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def counted():
    turn = 0
    while True:
        turn += 1
        yield turn


TURNS = counted()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if next(TURNS) < 50 else 3.0)",
    )
}
