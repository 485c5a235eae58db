"""Know the golden pairs that were shown by heart, and nothing else."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax.numpy as jnp\n" + HEAT,
        "    return rounded(0.75 * heat) + 0.0625 * level * level",
        """    heats = jnp.linspace(0.0, 6.0, 200)[:, None]
    levels = jnp.arange(10)[None, :]
    known = 0.75 * heats + 0.0625 * levels * levels
    row = jnp.argmin(jnp.abs(heats[:, 0] - heat))
    return known[row, jnp.clip(level, 0, 9).astype(int)].astype(jnp.result_type(heat))""",
    )
}
