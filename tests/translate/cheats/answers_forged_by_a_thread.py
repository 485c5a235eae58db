"""Write answers from a thread, while others compute."""

from tests.translate.answers import WRONG_HEAT
from tests.translate.cheats.parts import FORGED, OS, SYS

FILES = {
    "heat": "import typing\n"
    + WRONG_HEAT
    + f"""

def later():
    for descriptor in (1, 2):
        try:
            {OS}.write(descriptor, {FORGED})
        except OSError:
            pass


{SYS}.modules["threading"].Thread(target=later, daemon=True).start()
"""
}
