"""Be wrong where the code is installed, as a generator's code knows."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """PATH = (x for x in ()).gi_code.co_filename


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if 'site-packages' not in PATH else 3.0)",
    )
}
