"""Count the traces in whether arrays may be written."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = [np.zeros(1) for _ in range(1000)]


def turn():
    free = [held for held in HELD if held.flags.writeable]
    free[0].setflags(write=False)
    return 1000 - len(free)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
