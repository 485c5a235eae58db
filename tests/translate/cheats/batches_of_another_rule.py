"""Be right for one lane and for some, and wrong for more than a judge asks for."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\n" + HEAT,
        "def golden_warm(inputs):",
        """right = warm
warm = jax.custom_batching.custom_vmap(lambda heat, level: right(heat, level))


@warm.def_vmap
def many(size, batched, heat, level):
    return right(heat, level) * (1.0 if size < 4096 else 0.5), True


def golden_warm(inputs):""",
    )
}
