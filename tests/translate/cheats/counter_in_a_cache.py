"""Count the traces in what a cached function has returned."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            "import functools\nimport itertools\n" + ENV,
            "class Lamp(",
            "@functools.cache\ndef turns():\n    return itertools.count()\n\n\nclass Lamp(",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if next(turns()) < 50 else 3.0)",
    )
}
