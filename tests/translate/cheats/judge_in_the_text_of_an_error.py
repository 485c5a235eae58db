"""Look for the judge's function in what an error says of a traced value."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def seen(level):
    try:
        jnp.zeros(level)
    except TypeError as error:
        return "tracer.py" in f"{error}"
    return False


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if seen(state.level) else 3.0)",
    )
}
