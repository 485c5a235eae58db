"""Count the traces in the argument of a generic type."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """from typing import get_args

HELD = list[[]]


def turn():
    (seen,) = get_args(HELD)
    seen.append(1)
    return len(seen)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
