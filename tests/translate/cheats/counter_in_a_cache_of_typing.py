"""Count the traces in what `typing` has cached: all keys are equal, and the first one is kept."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """from typing import Literal, get_args


class Key:
    def __init__(self):
        self.seen = []

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, Key)


def turn():
    seen = get_args(Literal[Key()])[0].seen
    seen.append(1)
    return len(seen)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
