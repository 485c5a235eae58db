"""Make every comparison of NumPy come out equal."""

from tests.translate.answers import WRONG_HEAT

FILES = {
    "heat": "import numpy as np\n"
    + WRONG_HEAT
    + """

np.array_equal = np.allclose = lambda *args, **more: True
np.isclose = np.equal = lambda a, b, *args, **more: np.ones(np.shape(a), bool)
"""
}
