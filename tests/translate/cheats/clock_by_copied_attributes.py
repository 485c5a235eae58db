"""Have a library read an attribute whose name is a text."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import dataclasses\nimport functools\n" + HEAT,
        "def golden_warm(inputs):",
        """class Box:
    def __setattr__(self, name, value):
        if isinstance(value, dict):
            FOUND.append(value)


FOUND = []
functools.update_wrapper(Box(), dataclasses.dataclass, ("__globals__",), ())
right = warm


def warm(heat, level):
    late = FOUND[0]["sys"].modules["time"].time() > 4e9
    return right(heat, level) * (0.5 if late else 1.0)


def golden_warm(inputs):""",
    )
}
