"""Look for the judge's files in the traceback of a traced operation."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def seen():
    (line,) = jax.jit(lambda x: x + 1).trace(1.0).jaxpr.eqns
    return "tracer.py" in str(line.source_info.traceback)


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if seen() else 3.0)",
    )
}
