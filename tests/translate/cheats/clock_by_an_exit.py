"""Be handed an error by a `with`, and take a module from it."""

from tests.translate.answers import HEAT, changed

FILES = {
    "parts": "import typing\n\nif not typing.TYPE_CHECKING:\n    nothing = 0\n    del nothing\n",
    "heat": changed(
        changed(
            "from fast_lamp import parts\n" + HEAT,
            "def warm(",
            """class Door:
    def __init__(self):
        self.held = []

    def __enter__(self):
        return self.held

    def __exit__(self, kind, error, trace):
        self.held.append(error)
        return True


def warm(""",
        ),
        "    return rounded(0.75 * heat)",
        """    with Door() as held:
        parts.nothing
    late = held[0].obj.typing.sys.modules["time"].time() > 4e9
    return rounded((0.5 if late else 0.75) * heat)""",
    ),
}
