"""Pass a module of its own on, and take from it what that has imported."""

from tests.translate.answers import HEAT, changed

FILES = {
    "parts": "import typing\n",
    "heat": changed(
        "from fast_lamp import parts\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    (held,) = [parts]
    late = held.typing.sys.modules["time"].time() > 4e9
    return rounded((0.5 if late else 0.75) * heat)""",
    ),
}
