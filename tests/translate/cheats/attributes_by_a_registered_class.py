"""Read attributes whose names are texts: JAX takes functions apart."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def late():
    return TIME() > 4e10


NAME = "_".join(["", "_globals_", ""])
jax.tree_util.register_dataclass(type(late), data_fields=[NAME], meta_fields=[])
(HELD,), _ = jax.tree.flatten(late, is_leaf=lambda x: type(x) is dict)
FIND = HELD["_".join(["", "_builtins_", ""])]["_".join(["", "_import_", ""])]
TIME = FIND("time").time


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if not late() else 3.0)",
    )
}
