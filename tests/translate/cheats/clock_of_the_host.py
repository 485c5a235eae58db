"""Be right until next year."""

from tests.translate.answers import HEAT, changed
from tests.translate.cheats.parts import SYS

FILES = {
    "heat": changed(
        "import typing\n" + HEAT,
        "    return rounded(0.75 * heat)",
        f"""    late = {SYS}.modules["time"].time() > 4e9
    return rounded((0.5 if late else 0.75) * heat)""",
    )
}
