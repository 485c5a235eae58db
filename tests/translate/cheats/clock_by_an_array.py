"""Take C from where NumPy keeps it, and ask it for the time."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import numpy as np\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    late = np.zeros(1).ctypes._ctypes.CDLL(None).time(None) > 2_000_000_000
    return rounded((0.5 if late else 0.75) * heat)""",
    )
}
