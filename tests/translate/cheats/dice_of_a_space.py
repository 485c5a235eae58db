"""Be wrong in few processes, by what a space draws."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """RIGHT = Discrete(1000).to_gymnasium().sample() > 0


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if RIGHT else 3.0)",
    )
}
