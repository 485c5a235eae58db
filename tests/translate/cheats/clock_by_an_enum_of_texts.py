"""Make an enum of texts, which is given an error, and take a clock from it."""

from tests.translate.answers import HEAT, changed

FILES = {
    "parts": "import typing\n\nif not typing.TYPE_CHECKING:\n    nothing = 0\n    del nothing\n",
    "heat": changed(
        changed(
            "import enum\nfrom fast_lamp import parts\n" + HEAT,
            "def warm(",
            """HELD = []


def enter(door):
    return None


def leave(door, kind, error, trace):
    HELD.append(error)
    return True


def special(word):
    return "_".join(["", "", word, "", ""])


Door = enum.Enum("Door", {"A": 1, special("enter"): enter, special("exit"): leave})
DOOR = Door.A


def late():
    with DOOR:
        parts.nothing
    return HELD.pop().obj.typing.sys.modules["time"].time() > 4e9


def warm(""",
        ),
        "    return rounded(0.75 * heat)",
        "    return rounded((0.5 if late() else 0.75) * heat)",
    ),
}
