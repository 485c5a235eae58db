"""Run a copy of the reference's source in NumPy, behind a callback."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import by_callback

COPY = """import jax

SOURCE = '''
def warm(self, heat, level):
    return 0.75 * heat + 0.0625 * level * level
'''
HELD = {}
exec(SOURCE, HELD)
"""

FILES = {
    "heat": by_callback(
        HEAT, '(lambda heat, level: HELD["warm"](None, heat, level))', COPY, "jax.pure_callback"
    )
}
