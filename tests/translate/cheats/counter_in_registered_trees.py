"""Count the traces by the classes that JAX knows as trees."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def a_class():
    class Clock:
        pass

    return Clock


CLOCKS = [a_class() for _ in range(60)]


def turn():
    for number, clock in enumerate(CLOCKS):
        if jax.tree.leaves(clock()):
            jax.tree_util.register_static(clock)
            return number
    return 60


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
