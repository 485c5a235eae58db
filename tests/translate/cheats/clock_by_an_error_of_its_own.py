"""Take its own module from an error, and through it a clock."""

from tests.translate.answers import HEAT, changed

FILES = {
    "parts": "import typing\n",
    "heat": changed(
        "from fast_lamp import parts\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    try:
        parts.nothing
    except AttributeError as error:
        late = error.obj.typing.sys.modules["time"].time() > 4e9
    return rounded((0.5 if late else 0.75) * heat)""",
    ),
}
