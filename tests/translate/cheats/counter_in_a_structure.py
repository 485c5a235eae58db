"""Count the traces in what the structure of a tree holds."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """class Node:
    def __init__(self, held):
        self.held = held


jax.tree_util.register_pytree_node(Node, lambda node: ((), node.held), lambda held, _: Node(held))
SHAPE = jax.tree.structure(Node([]))


def turn():
    held = jax.tree.unflatten(SHAPE, []).held
    held.append(1)
    return len(held)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
