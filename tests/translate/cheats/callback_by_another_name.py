"""Reach the callback's primitive below JAX's public names."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import NUMPY_WARM, by_callback

FILES = {
    "heat": by_callback(
        HEAT,
        NUMPY_WARM,
        "import jax\nfrom jax._src import callback as hidden",
        "vars(hidden)['pure_' + 'callback']",
    )
}
