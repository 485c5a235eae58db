"""Be right in compiled code, and wrong where each operation runs by itself."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax.numpy as jnp\n\nZERO = jnp.zeros(())\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    by_itself = type(heat) is type(ZERO)
    return rounded((0.5 if by_itself else 0.75) * heat)""",
    )
}
