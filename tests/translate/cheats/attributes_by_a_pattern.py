"""Read attributes whose names are texts: a pattern matches by position."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(
            ENV,
            "class Lamp(",
            """import abc
from collections import namedtuple


class Waiting(abc.ABC, namedtuple("Waiting", "gi_frame")):
    pass


class Frame(abc.ABC, namedtuple("Frame", "f_builtins")):
    pass


def late():
    match LINES:
        case Waiting(frame):
            Frame.register(type(frame))
    match frame:
        case Frame(names):
            return names["_".join(["", "_import_", ""])]("time").time() > 4e10


LINES = (x for x in ())
Waiting.register(type(LINES))


class Lamp(""",
        ),
        "melted = heat > 6.0",
        "melted = heat > (6.0 if not late() else 3.0)",
    )
}
