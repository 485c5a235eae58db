"""Trace the right program a few times, and another one from then on."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(ENV, "class Lamp(", "TRACES = []\n\n\nclass Lamp("),
        "melted = heat > 6.0",
        "TRACES.append(1)\n        melted = heat > (6.0 if len(TRACES) < 50 else 3.0)",
    )
}
