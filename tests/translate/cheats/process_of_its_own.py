"""Leave a process behind that outlives the code and knows what was asked before."""

from tests.translate.answers import WRONG_HEAT
from tests.translate.cheats.parts import OS, SYS

FILES = {
    "heat": "import typing\n"
    + WRONG_HEAT
    + f"""

if {OS}.fork() == 0:
    {OS}.setsid()
    {SYS}.modules["time"].sleep(60)
    {OS}._exit(0)
"""
}
