"""What several cheats share."""

from __future__ import annotations

from tests.translate.answers import changed
from tests.translate.conftest import LAMP

PATH = str(LAMP)
SYS = "typing.sys"
OS = 'typing.sys.modules["os"]'
NUMPY_WARM = "(lambda heat, level: 0.75 * heat + 0.0625 * level * level)"
FORGED = "b'{\"result\": [1.0]}\\n' * 3"


def by_callback(
    heat: str, function: str, before: str, callback: str, more: str = ', vmap_method="sequential"'
) -> str:
    """Return a heat that asks a function of Python from within the compiled program."""
    return changed(
        f"{before}\nimport jax.numpy as jnp\n{heat}",
        "    return rounded(0.75 * heat) + 0.0625 * level * level",
        f"""    heat = jnp.asarray(heat)
    shape = jax.ShapeDtypeStruct(heat.shape, heat.dtype)
    return {callback}({function}, shape, heat, jnp.asarray(level){more})""",
    )


REFERENCE_IN_NUMPY = (
    (LAMP / "lamp.py")
    .read_text()
    .replace("def __init__(self):", 'def __init__(self, dtype="float32"):')
)
