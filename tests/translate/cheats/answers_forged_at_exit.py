"""Write answers when the process ends."""

from tests.translate.answers import WRONG_HEAT
from tests.translate.cheats.parts import FORGED, OS, SYS

FILES = {
    "heat": "import typing\n"
    + WRONG_HEAT
    + f"""

def last():
    for descriptor in range(64):
        try:
            {OS}.write(descriptor, {FORGED})
        except OSError:
            pass


{SYS}.modules["importlib"].import_module("atexit").register(last)
"""
}
