"""Be wrong where there are several devices, as an array's client knows."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """(DEVICE,) = jnp.zeros(()).devices()
ALONE = DEVICE.client.device_count() < 9


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if ALONE else 3.0)",
    )
}
