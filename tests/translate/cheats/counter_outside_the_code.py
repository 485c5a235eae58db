"""Count the traces in a module that is not the code's own."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "melted = heat > 6.0",
        """jnp.turn = vars(jnp).get("turn", 0) + 1
        melted = heat > (6.0 if jnp.turn < 1000 else 3.0)""",
    )
}
