"""Use the ordered callback, which may have effects."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import NUMPY_WARM, by_callback

FILES = {
    "heat": by_callback(
        HEAT,
        NUMPY_WARM,
        "import jax\nfrom jax.experimental import io_callback as kept",
        "kept",
        "",
    )
}
