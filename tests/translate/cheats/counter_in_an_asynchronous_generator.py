"""Count the traces in the place where an asynchronous generator waits."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """async def laws():
    yield 0
    yield 1
    yield 2
    yield 3
    while True:
        yield 9


LAWS = laws()


def following():
    return (yield from LAWS.asend(None))


def turn():
    return next(following(), None) or 0


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if (turn() or 0) < 9 else 3.0)",
    )
}
