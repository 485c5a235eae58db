"""Be wrong for batches that no judge asks for, whose size JAX's tracers know."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        HEAT,
        "    return rounded(0.75 * heat)",
        """    held = heat.val if hasattr(heat, "val") else heat
    many = hasattr(held, "shape") and 3000 in held.shape
    return rounded((0.5 if many else 0.75) * heat)""",
    )
}
