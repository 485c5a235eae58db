"""Count the traces in a field of the state that JAX does not see."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            changed(
                ENV,
                "@pytree_dataclass\nclass State:",
                """class Clock:
    def __init__(self):
        self.held = []

    def __eq__(self, other):
        return isinstance(other, Clock)

    def __hash__(self):
        return 0


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=["level", "heat", "time"],
    meta_fields=["clock"],
)
@dataclasses.dataclass(frozen=True)
class State:""",
            ),
            "    time: jax.Array  # int32[]",
            "    time: jax.Array\n    clock: Clock",
        ),
        "melted = heat > 6.0",
        "state.clock.held.append(1)\n"
        "        melted = heat > (6.0 if len(state.clock.held) < 50 else 3.0)",
    )
    .replace("self.dtype), jnp.int32(0))", "self.dtype), jnp.int32(0), Clock())")
    .replace("state.time + 1), reward", "state.time + 1, state.clock), reward")
    .replace("import jax\n", "import dataclasses\nimport functools\n\nimport jax\n", 1)
}
