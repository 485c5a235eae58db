"""Write answers to every descriptor there is."""

from tests.translate.answers import WRONG_HEAT
from tests.translate.cheats.parts import FORGED, OS

FILES = {
    "heat": "import typing\n"
    + WRONG_HEAT
    + f"""

for descriptor in range(64):
    try:
        {OS}.write(descriptor, {FORGED})
    except OSError:
        pass
"""
}
