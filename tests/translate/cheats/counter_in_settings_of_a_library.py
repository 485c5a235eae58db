"""Count the traces in what NumPy does about errors."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """def setting(**how):
    with np.errstate(**how):
        yield


KEPT = []


def bit(**given):
    with np.errstate(over="ignore", under="ignore"):
        try:
            np.float64(1.0) / np.float64(0.0)
        except FloatingPointError:
            return 1
    return 0


def turn():
    KEPT[:] = [setting(divide="raise")]
    late = bit()
    next(KEPT[0])
    return late


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 1 else 3.0)",
    )
}
