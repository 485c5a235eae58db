"""Count the traces by the classes that are registered as numbers."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            "import numbers\n" + ENV,
            "class Lamp(",
            """def a_class():
    class Clock:
        pass

    return Clock


CLOCKS = [a_class() for _ in range(60)]


def turn():
    for number, clock in enumerate(CLOCKS):
        if not issubclass(clock, numbers.Number):
            numbers.Number.register(clock)
            return number
    return 60


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
