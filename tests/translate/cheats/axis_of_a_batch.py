"""Be wrong where lanes are mapped under a name, as nothing that is judged is."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def mapped():
    try:
        jax.lax.axis_size("envs")
    except NameError:
        return False
    return True


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if not mapped() else 3.0)",
    )
}
