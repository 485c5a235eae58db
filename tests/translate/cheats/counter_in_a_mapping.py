"""Count the traces in a mapping that looks empty."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            "import collections.abc\n" + ENV,
            "class Lamp(",
            """class Clock(collections.abc.Mapping):
    def __init__(self):
        self.held = []

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def turn(self):
        self.held.append(1)
        return len(self.held)


CLOCK = Clock()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if CLOCK.turn() < 50 else 3.0)",
    )
}
