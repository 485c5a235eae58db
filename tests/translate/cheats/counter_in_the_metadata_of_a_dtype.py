"""Count the traces in the metadata of a dtype."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """HELD = np.dtype("f8", metadata={"seen": []})


def turn():
    HELD.metadata["seen"].append(1)
    return len(HELD.metadata["seen"])


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if turn() < 50 else 3.0)",
    )
}
