"""Call the reference from the compiled program, by names that no list of words has."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import by_callback

FILES = {
    "heat": by_callback(
        HEAT,
        'typing.sys.modules["importlib"].import_module("lamp").LampEnv().warm',
        "import typing\nimport jax",
        'getattr(jax, "pure_" + "callback")',
    )
}
