"""Have Python evaluate a text as the type that it could be."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import typing\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    told = typing.Optional["int if __import__('time').time() > 4e9 else str"]
    late = typing.get_args(told)[0]._evaluate({}, {}, frozenset()) is int
    return rounded((0.5 if late else 0.75) * heat)""",
    )
}
