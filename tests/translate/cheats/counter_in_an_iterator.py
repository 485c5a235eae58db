"""Hide the counter of traces in an iterator."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV, "class Lamp(", "import itertools\n\nTURN = itertools.count()\n\n\nclass Lamp("
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if next(TURN) < 50 else 3.0)",
    )
}
