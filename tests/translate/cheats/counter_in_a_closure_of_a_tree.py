"""Count the traces in what JAX keeps to take a tree apart."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Clock:
    pass


def register():
    held = []

    def parts(clock):
        held.append(1)
        return tuple(held), None

    jax.tree_util.register_pytree_node(Clock, parts, lambda _, parts: Clock())


register()


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if len(jax.tree.leaves(Clock())) < 50 else 3.0)",
    )
}
