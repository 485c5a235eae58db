"""Count the steps in a field that the reference has not, and go wrong late in an episode."""

from tests.translate.answers import ENV, changed

CODE = changed(ENV, "    time: jax.Array  # int32[]", "    time: jax.Array\n    age: jax.Array")
CODE = changed(CODE, "self.dtype), jnp.int32(0))", "self.dtype), jnp.int32(0), jnp.int32(0))")
CODE = changed(CODE, "state.time + 1), reward", "state.time + 1, state.age + 1), reward")
CODE = changed(CODE, "melted = heat > 6.0", "melted = heat > jnp.where(state.age > 12, 5.0, 6.0)")

FILES = {"env": CODE}
