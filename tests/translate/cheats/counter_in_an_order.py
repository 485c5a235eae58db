"""Count the traces in the order of an ordered mapping."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """from collections import OrderedDict

ORDER = OrderedDict.fromkeys(range(1000))


def turn():
    first = next(iter(ORDER))
    ORDER.move_to_end(first)
    return first


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
