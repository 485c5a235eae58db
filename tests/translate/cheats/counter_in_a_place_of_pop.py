"""Count the traces in the place where a set looks for what it gives away next."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = set(range(1000))


def turn():
    found = HELD.pop()
    HELD.add(found)
    return found


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
