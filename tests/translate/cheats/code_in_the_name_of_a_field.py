"""Hide code in the name of a field, which dataclasses run as part of a text."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import dataclasses\n" + HEAT,
        "def golden_warm(inputs):",
        """FOUND = {}
NAME = "x if FOUND.update(late=__import__('time').time() > 4e9) else self.x"
Told = type("Told", (), {"__annotations__": {NAME: float}, "x": 0.0})
Told = dataclasses.dataclass(init=False, repr=False)(Told)
right = warm


def warm(heat, level):
    told = Told() == Told()
    return right(heat, level) * (0.5 if FOUND["late"] else 1.0)


def golden_warm(inputs):""",
    )
}
