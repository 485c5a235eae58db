"""Count the traces on a function of NumPy, by a method that is given it as `self`."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "    def draw_start(",
            """    def count(self):
        self.turns = self.turns + 1 if hasattr(self, "turns") else 0
        return self.turns

    def draw_start(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if Lamp.count(np.mean) < 50 else 3.0)",
    )
}
