"""Be wrong in one process of four, by a generator without a seed."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """RIGHT = np.random.default_rng().random() < 0.75


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if RIGHT else 3.0)",
    )
}
