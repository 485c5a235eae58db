"""Be right on a CPU, where it is judged."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    share = jax.lax.platform_dependent(cpu=lambda: 0.75, default=lambda: 0.5)
    return rounded(share * heat)""",
    )
}
