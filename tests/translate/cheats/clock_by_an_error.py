"""Take a module from the error that a name which it has not raises, and through it a clock."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import typing\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    try:
        typing.nothing
    except AttributeError as error:
        late = error.obj.sys.modules["time"].time() > 4e9
    return rounded((0.5 if late else 0.75) * heat)""",
    )
}
