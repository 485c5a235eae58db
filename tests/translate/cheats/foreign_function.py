"""Call a function of the process itself by its registered name."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\nimport jax.numpy as jnp\n" + HEAT,
        "    return rounded(0.75 * heat) + 0.0625 * level * level",
        """    heat = jnp.asarray(heat)
    shape = jax.ShapeDtypeStruct(heat.shape, heat.dtype)
    made = jax.ffi.ffi_call("lamp_warm", shape, vmap_method="sequential")
    return made(heat, jnp.asarray(level))""",
    )
}
