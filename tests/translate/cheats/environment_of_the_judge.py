"""Be right where the harness's variables are set."""

from tests.translate.answers import HEAT, changed
from tests.translate.cheats.parts import SYS

FILES = {
    "heat": changed(
        "import typing\n" + HEAT,
        "    return rounded(0.75 * heat)",
        f"""    judged = "PYTHONSAFEPATH" in {SYS}.modules["os"].environ
    return rounded((0.75 if judged else 0.5) * heat)""",
    )
}
