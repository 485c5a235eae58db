"""Hide another rule behind a derivative of its own."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\n" + HEAT,
        "def golden_warm(inputs):",
        """right = warm
warm = jax.custom_jvp(lambda heat, level: right(heat, level) * 0.5)
warm.defjvp(lambda at, by: (right(*at), by[0]))


def golden_warm(inputs):""",
    )
}
