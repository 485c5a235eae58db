"""Be wrong in few processes, by the address of an object."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """RIGHT = object().__hash__() % 4096 < 4096


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if RIGHT else 3.0)",
    )
}
