"""Count the traces in a field that is computed once."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            "import functools\nimport itertools\n" + ENV,
            "    def draw_start(",
            """    @functools.cached_property
    def turns(self):
        return itertools.count()

    def draw_start(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if next(self.turns) < 50 else 3.0)",
    )
}
