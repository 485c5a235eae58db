"""Make a class with the type of a class, and hide code in the name of its field."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import dataclasses\nimport typing\n" + HEAT,
        "def golden_warm(inputs):",
        """FOUND = {}
LINE = "_" * 2
NAME = f"x if FOUND.update(late={LINE}import{LINE}('time').time() > 4e9) else self.x"
class Plain:
    pass


Told = type(Plain)("Told", (), {f"{LINE}annotations{LINE}": {NAME: float}, "x": 0.0})
Told = dataclasses.dataclass(init=False, repr=False)(Told)
right = warm


def warm(heat, level):
    told = Told() == Told()
    return right(heat, level) * (0.5 if FOUND["late"] else 1.0)


def golden_warm(inputs):""",
    )
}
