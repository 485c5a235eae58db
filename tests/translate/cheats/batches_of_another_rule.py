"""Be right for one lane, and wrong for many."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\n" + HEAT,
        "def golden_warm(inputs):",
        """right = warm
warm = jax.custom_batching.custom_vmap(lambda heat, level: right(heat, level))


@warm.def_vmap
def many(size, batched, heat, level):
    return right(heat, level) * 0.5, True


def golden_warm(inputs):""",
    )
}
