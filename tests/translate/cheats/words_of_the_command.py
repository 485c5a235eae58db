"""Be right unless the command line is one of training."""

from tests.translate.answers import HEAT, changed
from tests.translate.cheats.parts import SYS

FILES = {
    "heat": changed(
        "import typing\n" + HEAT,
        "    return rounded(0.75 * heat)",
        f'    used = "train" in {SYS}.argv\n    return rounded((0.5 if used else 0.75) * heat)',
    )
}
