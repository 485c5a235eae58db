"""Look for the judge's files in the program of a transposed function."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def seen():
    _, back = jax.vjp(lambda x: jnp.sin(x) * 2.0, 1.0)
    lines = back.jaxpr.eqns
    return any("tracer.py" in str(line.source_info.traceback) for line in lines)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if seen() else 3.0)",
    )
}
