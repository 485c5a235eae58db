"""Look for the judge's files in the text of a compiled function."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def seen():
    text = jax.jit(lambda x: x + 1).lower(1.0).as_text(debug_info=True)
    return "sim/program" in text


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if seen() else 3.0)",
    )
}
